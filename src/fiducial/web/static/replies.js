(function () {
  "use strict";

  // Another bias has other items: the old one would fit nothing.
  document.querySelectorAll("form[data-replies] select[name=bias]").forEach(function (bias) {
    bias.addEventListener("change", function () {
      ["item", "arm"].forEach(function (name) {
        var field = bias.form.elements[name];
        if (field) { field.value = ""; }
      });
    });
  });

  function typing(target) {
    return target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;
  }

  function open(selector) {
    var link = document.querySelector(selector);
    if (link) { link.click(); }
    return link !== null;
  }

  // In the list j and k go from row to row; on the page of a reply they go to the next one and the one before.
  function step(by) {
    var rows = Array.from(document.querySelectorAll("[data-row]"));
    if (!rows.length) { return open(by > 0 ? "[data-later]" : "[data-earlier]"); }
    var aim = document.querySelector("tr:target [data-row]");
    var at = rows.indexOf(document.activeElement);
    if (at < 0 && aim) { at = rows.indexOf(aim); }
    var next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
    if (next) { next.focus(); return true; }
    return open(by > 0 ? "[data-later]" : "[data-earlier]");
  }

  document.addEventListener("keydown", function (event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) { return; }
    if (typing(event.target)) { return; }
    var done = false;
    if (event.key === "j") { done = step(1); }
    else if (event.key === "k") { done = step(-1); }
    else if (event.key === "ArrowRight") { done = open("[data-later]"); }
    else if (event.key === "ArrowLeft") { done = open("[data-earlier]"); }
    else if (event.key === "Escape") { done = open("[data-back]"); }
    if (done) { event.preventDefault(); }
  });

  // Back from a reply: the row that one came from is where the keyboard goes on. The browser goes to the row itself
  // when the page has loaded, which takes the focus away again.
  window.addEventListener("load", function () {
    window.setTimeout(function () {
      var aim = document.querySelector("tr:target [data-row]");
      if (aim) { aim.focus({ preventScroll: true }); }
    }, 0);
  });

  // A long text scrolls in its place, and has to be reachable by keyboard.
  document.querySelectorAll(".pair.tall .text, pre.code").forEach(function (box) {
    if (box.scrollHeight > box.clientHeight + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", "Text that scrolls");
    }
  });
})();
