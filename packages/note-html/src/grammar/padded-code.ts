/** Returns whether code between backticks begins and ends with a space that is not part of it. */
export function isPadded(code: string): boolean {
  return code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
}
