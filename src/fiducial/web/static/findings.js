(function () {
  "use strict";
  var sheet = document.querySelector(".findings.sheet");
  if (!sheet) { return; }
  var notes = Array.from(sheet.querySelectorAll(".finding[data-n]:not(.must)"));
  var walk = sheet.querySelector("[data-walk]");
  var at = -1;

  function reveal(note) {
    var fold = note.closest(".more");
    if (fold) { fold.open = true; }
    note.open = true;
  }
  function stand(index) {
    at = index;
    if (walk) { walk.querySelector("[data-at]").textContent = (at + 1) + " of " + notes.length; }
  }
  function step(by) {
    if (!notes.length) { return; }
    var next = at < 0 ? (by > 0 ? 0 : notes.length - 1) : Math.min(notes.length - 1, Math.max(0, at + by));
    if (at >= 0 && next !== at) { notes[at].open = false; }
    stand(next);
    reveal(notes[next]);
    notes[next].querySelector("summary").focus({ preventScroll: true });
    notes[next].scrollIntoView({ block: "center" });
  }

  // A note that somebody opens is where the keys go on from.
  sheet.addEventListener("toggle", function (event) {
    var index = event.target.open ? notes.indexOf(event.target) : -1;
    if (index >= 0) { stand(index); }
  }, true);
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) { return; }
    if (event.key === "j" || event.key === "k") { step(event.key === "j" ? 1 : -1); event.preventDefault(); }
    if (event.key === "h" && at >= 0) { notes[at].querySelector(".past a").click(); }
  });
  if (walk) {
    walk.hidden = false;
    walk.addEventListener("click", function (event) {
      var button = event.target.closest("[data-step]");
      if (button) { step(Number(button.dataset.step)); }
    });
  }

  // An address may name a note (#n0-12), a must-find, or a claim (#case-…), of which the first note is shown.
  function arrive() {
    var name = window.location.hash.slice(1);
    var note = name.indexOf("case-") === 0
      ? notes.find(function (one) { return one.dataset.case === name.slice(5); })
      : document.getElementById(name);
    if (!note || !note.matches(".finding")) { return; }
    reveal(note);
    note.querySelector("summary").focus({ preventScroll: true });
    note.scrollIntoView({ block: "center" });
  }
  window.addEventListener("hashchange", arrive);
  arrive();
})();
