// Before anything is drawn: the theme that was chosen last time.
(function () {
  "use strict";
  try {
    var kept = window.localStorage.getItem("fiducial-theme");
    if (kept === "dark" || kept === "light") { document.documentElement.dataset.theme = kept; }
  } catch (error) { /* storage may be forbidden; then the system's theme it is */ }
})();
