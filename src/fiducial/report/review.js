(function () {
  "use strict";

  // A note that is open, or pointed at, shows its evidence; a mark that is clicked opens its first note.
  function light(note, on) {
    var sheet = note.closest(".sheet");
    if (!sheet) { return; }
    sheet.querySelectorAll('mark[data-n~="' + note.dataset.n + '"]').forEach(function (one) {
      one.classList.toggle("lit", on);
    });
  }
  document.querySelectorAll(".sheet").forEach(function (sheet) {
    sheet.addEventListener("toggle", function (event) {
      if (event.target.matches(".finding")) { light(event.target, event.target.open); }
    }, true);
    ["mouseover", "mouseout"].forEach(function (kind) {
      sheet.addEventListener(kind, function (event) {
        var note = event.target.closest(".finding");
        if (note && !note.open) { light(note, kind === "mouseover"); }
      });
    });
    sheet.addEventListener("click", function (event) {
      var mark = event.target.closest("mark[data-n]");
      if (!mark || event.target.closest("a")) { return; }
      var notes = mark.dataset.n.split(" ").map(function (n) {
        return sheet.querySelector('.finding[data-n="' + n + '"]');
      }).filter(function (one) { return one && getComputedStyle(one).display !== "none"; });
      if (!notes.length) { return; }
      var fold = notes[0].closest(".more");
      if (fold) { fold.open = true; }
      notes[0].open = true;
      notes[0].querySelector("summary").focus({ preventScroll: true });
      notes[0].scrollIntoView({ block: "nearest" });
    });
  });
})();
