"use strict";
// Asks how the task stands, and puts the new standing in the place of the old one, until the task is settled.
(() => {
  const WAIT_SECONDS = 20, LEAST_SECONDS = 1, MOST_SECONDS = 60;
  const standing = () => document.getElementById("standing");
  const pause = (seconds) => new Promise((over) => setTimeout(over, seconds * 1000));

  function beingSeen() {
    return new Promise((seen) => {
      const look = () => {
        if (document.hidden) return;
        document.removeEventListener("visibilitychange", look);
        seen();
      };
      document.addEventListener("visibilitychange", look);
      look();
    });
  }

  async function get(headers) {
    const signal = AbortSignal.timeout((WAIT_SECONDS + 20) * 1000);
    const answer = await fetch(location.pathname, { headers, cache: "no-store", credentials: "same-origin", signal });
    if (!answer.ok && answer.status !== 304) throw new Error(`answered ${answer.status}`);
    return answer;
  }

  async function show() {
    const text = await (await get({ Accept: "text/html" })).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.getElementById("standing");
    if (!fresh) throw new Error("no standing in it");
    const heading = fresh.querySelector("h1").textContent;
    const isNews = fresh.dataset.state !== standing().dataset.state;
    document.title = page.title;
    standing().replaceWith(document.adoptNode(fresh));
    if (isNews) document.getElementById("live").textContent = `${heading}. ${fresh.querySelector("p").textContent}`;
  }

  async function follow() {
    let tag = null, failures = 0;
    while (!("settled" in standing().dataset)) {
      await beingSeen();
      const began = Date.now();
      let rest = LEAST_SECONDS;
      try {
        const headers = { Accept: "application/json", Prefer: `wait=${WAIT_SECONDS}` };
        const answer = await get(tag ? { ...headers, "If-None-Match": tag } : headers);
        if (answer.status !== 304) {
          await show();
          tag = answer.headers.get("ETag");
        }
        const waited = answer.headers.has("Preference-Applied");
        rest = waited ? LEAST_SECONDS : Math.max(LEAST_SECONDS, Number(answer.headers.get("Retry-After")) || 0);
        failures = 0;
      } catch (error) {
        failures += 1;
        rest = Math.min(MOST_SECONDS, 2 ** failures) * (0.5 + Math.random() / 2);
      }
      document.getElementById("trouble").hidden = failures < 2;
      await pause(Math.max(0, rest - (Date.now() - began) / 1000));
    }
    for (const each of document.querySelectorAll("[data-while-waiting]")) each.remove();
  }

  follow();
})();
