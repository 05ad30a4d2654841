"use strict";
(() => {
  const list = document.getElementById("stretch-list");
  const tools = document.getElementById("stretch-tools");
  const say = document.getElementById("stretch-count");
  const reveal = () => {
    const name = location.hash.slice(1);
    if (!/^[a-z][a-z0-9-]*$/.test(name)) return;
    const found = document.getElementById(name);
    if (!found) return;
    const item = found.closest("li");
    if (item) item.hidden = false;
    const blank = document.getElementById("hide-blank-stretches");
    if (blank && found.matches(".blank")) blank.checked = false;
    const card = found.matches("details") ? found : found.querySelector("details");
    if (card && /^(r|b)[0-9]+$/.test(name)) card.open = true;
    found.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (list && tools) {
    const words = tools.querySelector("input[type=search]");
    const [one, other] = tools.querySelectorAll("select");
    const items = [...list.children];
    const language = document.documentElement.dataset.language || undefined;
    const lower = (text) => { try { return text.toLocaleLowerCase(language); } catch { return text.toLowerCase(); } };
    const texts = new Map();
    const textOf = (item) => {
      if (!texts.has(item)) texts.set(item, lower(item.textContent).replace(/\s+/g, " "));
      return texts.get(item);
    };
    const blank = document.getElementById("hide-blank-stretches");
    const more = document.getElementById("stretch-more");
    const number = (value) => value.toLocaleString("en");
    const PAGE = 50;
    let room = PAGE;
    const show = () => {
      const wanted = lower(words.value.trim()).replace(/\s+/g, " ");
      const twice = one.value !== "" && one.value === other.value;
      let fitting = 0;
      for (const item of items) {
        const books = item.dataset.books.split(" ");
        const fits = (!one.value || books.includes(one.value)) && (!other.value || books.includes(other.value)) &&
          (!twice || item.dataset.twice.split(" ").includes(one.value)) &&
          !(blank?.checked && item.classList.contains("blank")) && (!wanted || textOf(item).includes(wanted));
        item.hidden = !fits || fitting >= room;
        fitting += fits;
      }
      const seen = Math.min(fitting, room);
      say.textContent = `Showing ${number(seen)} of ${number(fitting)} that fit; ${number(items.length)} on this page`;
      more.hidden = seen === fitting;
      more.textContent = `Show ${number(Math.min(4 * PAGE, fitting - seen))} more`;
    };
    const filter = () => { room = PAGE; show(); };
    const clear = () => { words.value = ""; one.value = ""; other.value = ""; filter(); };
    more.addEventListener("click", () => { room += 4 * PAGE; show(); });
    blank?.addEventListener("change", filter);
    addEventListener("beforeprint", () => { for (const item of items) item.hidden = false; });
    addEventListener("afterprint", show);
    let later = 0;
    words.addEventListener("input", () => { clearTimeout(later); later = setTimeout(filter, 120); });
    tools.addEventListener("submit", (event) => event.preventDefault());
    one.addEventListener("change", filter);
    other.addEventListener("change", filter);
    tools.querySelector("button").addEventListener("click", clear);
    for (const cell of document.querySelectorAll("a[data-pair]")) {
      cell.addEventListener("click", () => {
        [one.value, other.value] = cell.dataset.pair.split(" ");
        words.value = "";
        filter();
      });
    }
    tools.hidden = false;
    filter();
  }
  reveal();
})();
