const EVERY_MS = { terminal: 100, plain: 5000 };

/**
 * Reports the progress of long work on standard error: one line that is rewritten on a terminal, else a plain line now
 * and then.
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
