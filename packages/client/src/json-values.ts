/** Counts lists, objects, and values separated by commas. */
export function valuesIn(text: string): number {
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ',' || character === '[' || character === '{') count += 1;
  }
  return count;
}

/** Returns the position of the quote that ends a string, or the end of the text. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; ) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let unescaped = at;
    while (text[unescaped - 1] === '\\') unescaped -= 1;
    if ((at - unescaped) % 2 === 0) return at;
  }
}
