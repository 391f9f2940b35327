const asciiOnly = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();

/** Returns whether a text has no character beyond ASCII. */
export function isAscii(text: string): boolean {
  return asciiOnly.test(text);
}

/** Returns how many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  return isAscii(text) ? text.length : encoder.encode(text).length;
}
