import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const maps = globSync(['{server,cli,web}/src/**/README.md', 'packages/*/src/README.md', 'server/test/kit/README.md'], {
  cwd: root,
});
const pages = [...maps, ...globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: root })];
const textOf = (page: string) => readFileSync(join(root, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** Returns the anchors that a page has, as GitHub makes them of its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
  const words = headings.map((heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, ''));
  return new Set(words.map((each) => each.replace(/\s/g, '-')));
}

test('pages link only to files and headings that exist', () => {
  assert.ok(pages.length > 30, `${pages.length} pages`);
  const broken = pages.flatMap((page) =>
    [
      ...textOf(page)
        .replace(/`[^`\n]*`/g, '')
        .matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
    ].flatMap(([link, file = '', anchor]) => {
      const target = file === '' ? page : join(dirname(page), file);
      if (!existsSync(join(root, target))) return [`${page}: ${link}`];
      const found = anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
      return found ? [] : [`${page}: ${link}`];
    }),
  );
  assert.deepEqual(broken, []);
});

test('the map of a folder names only files and folders that the folder has', () => {
  assert.ok(maps.length >= 15, `${maps.length} maps`);
  const missing = maps.flatMap((map) =>
    [...textOf(map).matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([\w./-]+(?:\.tsx?|\/))`/g)]
        .map(([, name]) => join(dirname(map), name ?? ''))
        .filter((path) => !existsSync(join(root, path))),
    ),
  );
  assert.deepEqual(missing, []);
});
