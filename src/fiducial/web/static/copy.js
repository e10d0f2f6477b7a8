// A button beside a command puts it into the clipboard; where that is forbidden, it selects it.
(function () {
  "use strict";
  document.querySelectorAll("button[data-copy]").forEach(function (button) {
    var command = button.closest(".typed").querySelector("code");
    var said = button.closest(".typed").querySelector("[data-said]");
    function select() {
      window.getSelection().selectAllChildren(command);
      said.textContent = "Selected: copy it with your keyboard.";
    }
    button.hidden = false;
    button.addEventListener("click", function () {
      if (!navigator.clipboard) { select(); return; }
      navigator.clipboard.writeText(command.textContent).then(function () { said.textContent = "Copied"; }, select);
    });
  });
})();
