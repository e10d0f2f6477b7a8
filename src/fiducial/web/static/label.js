(function () {
  "use strict";
  var room = document.getElementById("labelling");
  var said = document.getElementById("label-said");
  if (!room) { return; }
  var LABELS = { "1": "1", g: "1", "0": "0", n: "0", "5": "0.5", b: "0.5" };
  var PATIENCE = 20000; // milliseconds for an answer
  var busy = false, ready = false, hits = [], place = -1, sought = "";

  function one(what) { return room.querySelector(what); }
  function heading() { var h = one("h1"); if (h) { h.focus({ preventScroll: true }); } }
  function say(text, failed) {
    said.textContent = text;
    said.classList.toggle("fail", Boolean(failed));
  }

  // A case has come up. Keys count once it has been drawn and a moment has passed: nobody labels what they have not seen.
  function arrived() {
    var part = one(".case"), name = part.dataset.case;
    ready = false;
    delete room.dataset.ready;
    hits = []; place = -1; sought = "";
    mark();
    var seek = one(".seek");
    if (seek) { seek.hidden = false; }
    passage();
    requestAnimationFrame(function () { requestAnimationFrame(function () {
      window.setTimeout(function () {
        if (one(".case") !== part) { return; }
        ready = true;
        room.dataset.ready = name;
      }, Number(room.dataset.settle));
    }); });
  }

  function passage() {
    var leaf = one(".leaf"), block = document.getElementById("passage");
    if (!leaf || !block) { return; }
    // A long block, such as a table, is shown from what the claim quotes of it.
    var quoted = block.querySelector(".quoted"), top = leaf.getBoundingClientRect().top - leaf.scrollTop;
    var start = block.getBoundingClientRect().top - top - 40;
    var end = quoted ? quoted.getBoundingClientRect().bottom - top + 40 : 0;
    leaf.scrollTop = Math.max(0, end - start > leaf.clientHeight ? end - leaf.clientHeight / 2 : start);
  }

  function send(name, value) {
    var form = one("#answer");
    if (!form || busy) { return; }
    if (!ready) {
      say((said.textContent.replace(/\. A key .*$/, "") + ". A key that came before the case could be read was dropped.")
        .replace(/^\. /, ""), false);
      return;
    }
    var fields = new URLSearchParams(new FormData(form));
    fields.set(name, value);
    busy = true;
    room.setAttribute("aria-busy", "true");
    var stop = new AbortController(), clock = window.setTimeout(function () { stop.abort(); }, PATIENCE);
    fetch(form.getAttribute("action"), {
      method: "POST", body: fields, signal: stop.signal, redirect: "error",
      headers: { "X-Requested-With": "fiducial", "X-Fiducial-CSRF": document.querySelector("meta[name=csrf]").content }
    }).then(function (answer) {
      return answer.text().then(function (text) {
        if (answer.headers.get("X-Fiducial-Part") === "case") { swap(text); } else { refused(answer, text); }
      });
    }).catch(function () {
      say("No answer from the workbench, so nothing is known to be saved. Try again; if it was started anew, open its new address.", true);
    }).then(function () {
      window.clearTimeout(clock);
      busy = false;
      room.removeAttribute("aria-busy");
    });
  }

  function swap(text) {
    room.innerHTML = text; // our own page, in which all foreign text is escaped
    var part = one(".case");
    window.history.replaceState(null, "", part.dataset.here);
    arrived();
    window.scrollTo(0, 0);
    heading();
    say(part.dataset.said, part.dataset.failed);
  }

  function refused(answer, text) {
    var plain = (answer.headers.get("content-type") || "").indexOf("text/plain") === 0;
    if (!plain) {
      var lead = new DOMParser().parseFromString(text, "text/html").querySelector(".lead");
      text = lead ? lead.textContent : "";
    }
    say("Not saved. " + text + (answer.status === 403 ? " Then load this page again." : ""), true);
  }

  // The search looks through the document as it is shown, in any case and across line breaks.
  function search(words, back) {
    var leaf = one(".leaf"), told = one(".hits"), wanted = words.trim();
    if (!leaf || !wanted) { hits = []; place = -1; sought = ""; mark(); if (told) { told.textContent = ""; } return; }
    if (wanted !== sought) {
      sought = wanted;
      hits = occurrences(leaf, wanted);
      place = -1;
    }
    if (!hits.length) { mark(); told.textContent = "nowhere"; return; }
    place = (place + (back ? -1 : 1) + hits.length) % hits.length;
    mark();
    told.textContent = (place + 1) + " of " + hits.length;
    var box = hits[place].getBoundingClientRect(), frame = leaf.getBoundingClientRect();
    if (box.top < frame.top + 20 || box.bottom > frame.bottom - 20) { leaf.scrollTop += box.top - frame.top - frame.height / 3; }
  }

  function occurrences(leaf, wanted) {
    var walk = document.createTreeWalker(leaf, NodeFilter.SHOW_TEXT), nodes = [], starts = [], text = "", node, block = null;
    while ((node = walk.nextNode())) {
      var own = node.parentElement.closest(".blk");
      if (own !== block) { text += "\n"; block = own; }
      nodes.push(node); starts.push(text.length);
      text += node.data;
    }
    var pattern = new RegExp(wanted.split(/\s+/).map(function (word) {
      return word.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&");
    }).join("\\s+"), "gi");
    var found = [], match;
    function at(index) { // the last text that begins at or before it
      var low = 0, high = starts.length - 1;
      while (low < high) { var mid = (low + high + 1) >> 1; if (starts[mid] <= index) { low = mid; } else { high = mid - 1; } }
      return low;
    }
    while ((match = pattern.exec(text)) && found.length < 10000) {
      var a = at(match.index), b = at(match.index + match[0].length - 1), range = document.createRange();
      range.setStart(nodes[a], Math.min(match.index - starts[a], nodes[a].length));
      range.setEnd(nodes[b], Math.min(match.index + match[0].length - starts[b], nodes[b].length));
      found.push(range);
    }
    return found;
  }

  function mark() {
    if (window.CSS && CSS.highlights && window.Highlight) {
      CSS.highlights.set("label-hit", new Highlight(...hits));
      CSS.highlights.set("label-now", place < 0 ? new Highlight() : new Highlight(hits[place]));
      CSS.highlights.get("label-now").priority = 1;
    } else if (place >= 0) {
      window.getSelection().removeAllRanges();
      window.getSelection().addRange(hits[place]);
    }
  }

  function page(direction) {
    var leaf = one(".leaf");
    if (!leaf) { return; }
    var end = leaf.scrollTop + leaf.clientHeight >= leaf.scrollHeight - 2;
    leaf.scrollTop = direction > 0 && end ? 0 : leaf.scrollTop + direction * (leaf.clientHeight - 60);
  }

  function help() {
    var box = document.getElementById("label-help");
    if (!box) { return; }
    box.open = !box.open;
    if (box.open) { box.querySelector("summary").focus(); box.scrollIntoView({ block: "nearest" }); } else { heading(); }
  }

  function typing(target) { return target.closest("input, textarea, select, [contenteditable]"); }

  document.addEventListener("keydown", function (event) {
    var target = event.target instanceof Element ? event.target : document.body;
    if (event.defaultPrevented || event.isComposing) { return; }
    if (typing(target)) { inField(event, target); return; }
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat && !/^[dD ]$/.test(event.key)) { return; }
    var key = event.getModifierState("CapsLock") ? event.key.toLowerCase() : event.key;
    if (key === " " && target.closest("button, summary, a")) { return; }
    if (!act(key, event.shiftKey)) { return; }
    event.preventDefault();
  });

  function act(key, shift) {
    if (Object.prototype.hasOwnProperty.call(LABELS, key)) { if (one("[name=case]")) { send("label", LABELS[key]); } return true; }
    switch (key) {
      case "s": if (one("[name=case]")) { send("step", "skip"); } return true;
      case "u": if (one("[value=undo]:not(:disabled)")) { send("step", "undo"); } else { say("Nothing to undo", false); } return true;
      case "c": return focus("textarea[name=note]");
      case "/": return focus("#seek");
      case "?": case "h": help(); return true;
      case "d": page(1); return true;
      case "D": page(-1); return true;
      case " ": page(shift ? -1 : 1); return true;
      case "r": passage(); return true;
      case "q": window.location.assign(room.dataset.leave); return true;
    }
    return false;
  }

  function focus(what) {
    var field = one(what);
    if (field) { field.focus(); if (field.select) { field.select(); } }
    return Boolean(field);
  }

  // In a field every key is text, but for the two that leave it.
  function inField(event, field) {
    if (event.key === "Escape") { event.preventDefault(); if (field.id === "seek") { field.value = ""; search("", false); } heading(); return; }
    if (event.key !== "Enter") { return; }
    if (field.id === "seek") { event.preventDefault(); search(field.value, event.shiftKey); }
    else if (field.name === "note" && !event.shiftKey && !event.ctrlKey) { event.preventDefault(); heading(); }
  }

  room.addEventListener("submit", function (event) {
    event.preventDefault();
    var by = event.submitter;
    if (event.target.id === "answer" && by && by.name) { send(by.name, by.value); }
  });
  room.addEventListener("input", function (event) { if (event.target.id === "seek" && !event.target.value) { search("", false); } });
  room.addEventListener("click", function (event) {
    if (event.target.closest && event.target.closest(".why a")) { event.preventDefault(); passage(); }
  });

  arrived();
  if (!window.location.hash) { heading(); }
})();
