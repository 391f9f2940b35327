/** Returns the lines of a text, each with its line feed. */
export function linesOf(text: string): readonly string[] {
  // Without a look-behind, which older iPhones do not have.
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [text];
}
