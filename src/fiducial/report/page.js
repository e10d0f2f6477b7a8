(function () {
  "use strict";
  var root = document.documentElement;
  var button = document.getElementById("theme");
  var system = window.matchMedia("(prefers-color-scheme: dark)");
  function dark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }
  function label() {
    button.textContent = dark() ? "Light theme" : "Dark theme";
  }
  button.addEventListener("click", function () {
    root.dataset.theme = dark() ? "light" : "dark";
    try { window.localStorage.setItem("fiducial-theme", root.dataset.theme); } catch (error) { /* not kept, then */ }
    label();
  });
  system.addEventListener("change", label);
  label();
  button.hidden = false;

  // One button opens and closes all that is folded in its section.
  Array.from(document.querySelectorAll("button.all")).forEach(function (one) {
    var folded = Array.from(one.closest("section").querySelectorAll("details"));
    one.hidden = false;
    one.addEventListener("click", function () {
      var open = !folded.every(function (each) { return each.open; });
      folded.forEach(function (each) { each.open = open; });
      one.textContent = open ? "Close all" : "Open all";
    });
  });

  // What is folded away on the screen belongs on paper, except the samples.
  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("details.record:not([open])"));
    opened.forEach(function (one) { one.open = true; });
  });
  window.addEventListener("afterprint", function () {
    opened.forEach(function (one) { one.open = false; });
  });
})();
