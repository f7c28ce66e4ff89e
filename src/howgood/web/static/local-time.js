// Times that participants read, in the zone of their own clock. Without this script they read UTC.
"use strict";
(() => {
  const page = document.documentElement.lang;
  // The reader's own country, where it has the language of the page: "en-GB" for a page in "en".
  const reader = navigator.languages.find((each) => each.split("-")[0] === page) || page;
  const format = new Intl.DateTimeFormat(reader, { weekday: "long", year: "numeric", month: "long",
    day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    time.textContent = format.format(new Date(time.dateTime));
  }
})();
