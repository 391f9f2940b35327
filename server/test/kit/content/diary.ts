import { Random } from '../random.ts';

type Made = [path: string, text: string];

/** Frontmatter above a day of the diary, valid and degraded. */
const FRONTMATTER: readonly ((day: string, title: string) => string)[] = [
  () => '',
  (day) => `---\ncreated: ${day}\ntags: [diary, "${day.slice(0, 4)}"]\n---\n`,
  (day, title) => `---\ntitle: "Day of ${title}"\naliases:\n  - the ${day}\n  - day ${Number(day.slice(8))}\n---\n`,
  () => '---\n---\n',
  (_, title) => `---\nrelated: "[[${title}]]"\ntype: diary\ndescription: 'A day of many'\n---\n`,
  () => '---\ntags: [open\n---\n',
  () => '---\n- a list\n- and no mapping\n---\n',
  (day) => `---\ncreated: ${day}\nnothing closes this\n`,
];

/** Forms of the same link, and texts that look like a link but are none. */
const FORMS: readonly ((path: string) => string)[] = [
  (path) => `[[${stem(path)}]]`,
  (path) => `[[${stem(path)}|other words]]`,
  (path) => `[[${path.slice(0, -3)}#${stem(path)}]]`,
  (path) => `[[${stem(path).toUpperCase()}]]`,
  (path) => `[[${path}]]`,
  (path) => `![[${stem(path)}]]`,
  (path) => `[[${stem(path).normalize('NFD')}#^block1]]`,
  (path) => `[words](<../${path}>)`,
  (path) => `[words](../${path.split('/').map(encodeURIComponent).join('/')} "title")`,
  (path) => `[words](${path.replaceAll(' ', '%20')}#section)`,
  (path) => `![words](<${path}>)`,
  () => '[[A page that nobody wrote]] [words](<./gone for good.md>)',
  (path) => `[words][ref]\n\n[ref]: <../${path}>\n`,
  (path) => `[Page ${stem(path)}]\n\n[page ${stem(path)}]: <../${path}> 'title'\n`,
  (path) => `| cell | cell |\n| --- | --- |\n| [[${stem(path)}\\|in a table]] | x |\n`,
  (path) => `\`[[${stem(path)}]]\` and \\[\\[${stem(path)}]]`,
  (path) => `%% [[${stem(path)}]] %% <!-- [[${stem(path)}]] -->`,
  (path) => `\n\`\`\`\n[[${stem(path)}]]\n[words](<${path}>)\n\`\`\`\n`,
  (path) => `\n> [!note] [[${stem(path)}]]\n> - a quote with [words](<../${path}>)\n`,
];

const TAGS = ['#diary', '#日記', '#дневник/утро', '#a/b', '`#no-tag`', '\\#none', '#2026', 'word#none'];

/**
 * Makes days of a diary from paragraphs of the notes and from links to them and to files; deterministic by the seed.
 */
export function diary(
  seed: string,
  notes: ReadonlyMap<string, string>,
  files: readonly string[],
  days: number,
): Made[] {
  const random = new Random([...seed].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7));
  const paths = [...notes.keys()];
  const paragraphs = [...notes.values()].flatMap((text) =>
    text.split(/\n{2,}/).filter((part) => /^[^#|>\-`\s]/.test(part)),
  );
  return Array.from({ length: days }, (_, at): Made => {
    const day = `2026-01-${String(at + 1).padStart(2, '0')}`;
    const forms = Array.from({ length: 5 }, (_, index) => FORMS[(at * 5 + index) % FORMS.length] ?? stem);
    const file = files.length > 0 ? `![[${random.pick(files).replace(/^.*\//, '')}|200]]` : '';
    const text = [
      `# ${day}`,
      random.pick(paragraphs),
      ...forms.map((form) => form(random.pick(paths))),
      `${random.pick(TAGS)} ${random.pick(TAGS)} ${file}`,
      `- [ ] ${random.pick(paragraphs).slice(0, 40)} ^block${at}`,
      random.pick(paragraphs),
    ].join('\n\n');
    const whole = `${FRONTMATTER[at % FRONTMATTER.length]?.(day, stem(random.pick(paths))) ?? ''}${text}\n`;
    const mark = at % 7 === 6 ? '\ufeff' : '';
    return [`Diary/${day}.md`, mark + (at % 5 === 4 ? whole.replaceAll('\n', '\r\n') : whole)];
  });
}

function stem(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.md$/, '');
}
