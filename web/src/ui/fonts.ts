/**
 * Loads the fonts that the page has not asked for yet, such as italics and that of code, once it is painted: a note that
 * is opened then has them, and nothing that the first page needs waits for them.
 */
export function loadFonts(): void {
  requestAnimationFrame(() =>
    setTimeout(() => void Promise.allSettled([...document.fonts].map((face) => face.load()))),
  );
}
