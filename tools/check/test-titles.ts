import { type Finding, lineAt, type Source } from './sources.ts';

/** Titles as literals, of Node's runner, of Playwright and of the test kits. */
const TITLE =
  /(?<![.\w])(?:test|it|describe|suite|onEachEngine|onSqlite)(?:\.\w+)*\(\s*(?:'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`)/g;
/** The rules and mistakes that a test is about: `[2.8] [M3] …`. */
const MARKS = /^(?:\[[\w.]+\] )+/;
const CHARACTERS_MAX = 100;

/** Refuses titles of tests that are too long to be read in a list. */
export function checkTestTitles(sources: readonly Source[]): Finding[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(TITLE)].flatMap(({ index, 1: quoted, 2: template }) => {
      const { length } = (quoted ?? template ?? '').replace(MARKS, '');
      if (length <= CHARACTERS_MAX) return [];
      const message = `${length} characters: say subject and outcome in at most ${CHARACTERS_MAX}.`;
      return [{ path, line: lineAt(text, index), rule: 'test-title', message }];
    }),
  );
}
