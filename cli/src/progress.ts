const EVERY_MS = { terminal: 100, plain: 5000 };

/**
 * Returns a function that reports progress on standard error: on a terminal in one updated line, otherwise as a line
 * every few seconds.
 */
export function progressLine(now: () => number = Date.now): (text: string, done: boolean) => void {
  const { stderr } = process;
  const pace = stderr.isTTY ? EVERY_MS.terminal : EVERY_MS.plain;
  let last = Number.NEGATIVE_INFINITY;
  return (text, done) => {
    if (!done && now() - last < pace) return;
    last = now();
    if (stderr.isTTY) stderr.write(`\r\u001b[K${text}${done ? '\n' : ''}`);
    else stderr.write(`${text}\n`);
  };
}
