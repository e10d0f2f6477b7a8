(function () {
  "use strict";

  var cards = Array.from(document.querySelectorAll("[data-card]"));
  var at = null;

  // Who decides: kept in this browser, sent with every form.
  var name = document.querySelector("[data-name]");
  function sign() {
    document.querySelectorAll("[data-by]").forEach(function (one) { one.value = name ? name.value : ""; });
  }
  if (name) {
    try { name.value = window.localStorage.getItem("fiducial-name") || ""; } catch (error) { /* not allowed to keep it */ }
    name.addEventListener("input", function () {
      try { window.localStorage.setItem("fiducial-name", name.value); } catch (error) { /* not allowed to keep it */ }
      sign();
    });
    sign();
  }

  function choose(card, quietly) {
    if (!card) { return; }
    if (at) { at.classList.remove("at"); }
    at = card;
    card.classList.add("at");
    var folded = card.closest("details.decided");
    if (folded) { folded.open = true; }
    if (!quietly) {
      card.focus({ preventScroll: true });
      card.scrollIntoView({ block: "start" });
    }
  }
  function shown() {
    return cards.filter(function (card) { var folded = card.closest("details.decided"); return !folded || folded.open; });
  }
  function move(by) {
    var all = shown();
    var next = all[all.indexOf(at) + by];
    if (next) { choose(next); }
  }

  // Only one form of a card is open, and its first field is ready to be typed into.
  function opened(deed) {
    deed.parentElement.querySelectorAll(".deed[open]").forEach(function (other) {
      if (other !== deed) { other.open = false; }
    });
    choose(deed.closest("[data-card]"), true);
    var field = deed.querySelector("input:not([type=hidden]), textarea");
    if (field && !deed.querySelector(":focus:not(summary)")) { field.focus(); }
  }
  document.querySelectorAll(".deeds .deed").forEach(function (deed) {
    deed.addEventListener("toggle", function () { if (deed.open) { opened(deed); } });
  });
  cards.forEach(function (card) {
    card.addEventListener("focusin", function () { choose(card, true); });
    card.addEventListener("click", function () { choose(card, true); });
  });

  // A form is sent once, and work that was typed is not left by accident.
  var sending = false;
  document.querySelectorAll("main form[method=post]").forEach(function (form) {
    form.addEventListener("input", function () { form.dataset.touched = "yes"; });
    form.addEventListener("submit", function (event) {
      if (sending) { event.preventDefault(); return; }
      sending = true;
      sign();
      form.querySelectorAll("button[type=submit]").forEach(function (one) { one.setAttribute("aria-disabled", "true"); });
    });
  });
  window.addEventListener("pageshow", function () { sending = false; });
  function touched() {
    return Array.from(document.querySelectorAll(".deed[open] form")).some(function (form) { return form.dataset.touched; });
  }

  function press(key) {
    if (key === "u") {
      var last = document.querySelector("[data-undo-last]");
      if (last) { last.click(); return true; }
    }
    var found = at && at.querySelector('[data-key="' + key + '"]');
    if (!found) { return false; }
    if (found.tagName === "DETAILS") {
      found.open = !found.open;
      if (found.open) { opened(found); }  // at once: what is typed next belongs into the field
    } else {
      found.click();
    }
    return true;
  }
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) { return; }
    var typing = event.target.closest("input, textarea, select");
    if (event.key === "Escape") {
      var deed = event.target.closest(".deeds .deed[open]") || (at && at.querySelector(".deeds .deed[open]"));
      if (deed) { deed.open = false; deed.querySelector("summary").focus(); }
      return;
    }
    if (typing) { return; }
    if (event.key === "j" || event.key === "k") { move(event.key === "j" ? 1 : -1); event.preventDefault(); return; }
    if ("mcertu".indexOf(event.key) >= 0 && event.key.length === 1 && press(event.key)) { event.preventDefault(); }
  });

  // When a test ends, the page shows what it says, unless somebody is in the middle of typing.
  document.querySelectorAll("[data-test]").forEach(function (part) {
    new MutationObserver(function () {
      if (!part.querySelector("[data-ended]") || touched()) { return; }
      window.location.hash = part.closest("[data-card]").id;
      window.location.reload();
    }).observe(part, { childList: true, subtree: true });
  });

  var named = window.location.hash.slice(1);
  var there = cards.filter(function (card) { return card.id === named; })[0];
  if (there) { choose(there); } else { choose(shown()[0], true); }
})();
