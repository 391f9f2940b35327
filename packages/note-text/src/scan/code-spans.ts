/**
 * Finds code spans in one inline text (CommonMark 0.31.2, section 6.1). The runs of backticks are listed once, by
 * length, with a position kept in each list. Reading from left to right therefore visits each run once.
 */
export class CodeSpans {
  readonly #text: string;
  #runs: Map<number, { readonly starts: number[]; next: number }> | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Reads the run of backticks that begins at `at`. `end` is the offset after the code span when it is closed, else
   * after the run. Offsets must not decrease from call to call.
   */
  read(at: number): { readonly end: number; readonly closed: boolean } {
    const length = runLength(this.#text, at);
    this.#runs ??= listRuns(this.#text);
    const runs = this.#runs.get(length);
    if (!runs) return { end: at + length, closed: false };
    while ((runs.starts[runs.next] ?? Number.POSITIVE_INFINITY) < at + length) runs.next++;
    const close = runs.starts[runs.next];
    return close === undefined ? { end: at + length, closed: false } : { end: close + length, closed: true };
  }
}

function listRuns(text: string): Map<number, { starts: number[]; next: number }> {
  const runs = new Map<number, { starts: number[]; next: number }>();
  for (let at = text.indexOf('`'); at >= 0; ) {
    const length = runLength(text, at);
    const same = runs.get(length);
    if (same) same.starts.push(at);
    else runs.set(length, { starts: [at], next: 0 });
    at = text.indexOf('`', at + length);
  }
  return runs;
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text.charAt(end) === '`') end++;
  return end - at;
}
