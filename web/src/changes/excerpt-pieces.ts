/** Shown of a line before and after a place. */
const AROUND = 60;

/** The parts of a line around a place; long ones are cut where they are far from it. */
export function excerptPieces({ text, start, end }: { text: string; start: number; end: number }) {
  const before = text.slice(0, start).trimStart();
  const after = text.slice(end).trimEnd();
  return {
    before: before.length > AROUND ? `…${before.slice(-AROUND).toWellFormed()}` : before,
    gone: text.slice(start, end),
    after: after.length > AROUND ? `${after.slice(0, AROUND).toWellFormed()}…` : after,
  };
}
