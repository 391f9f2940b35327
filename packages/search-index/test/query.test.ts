import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandWord, MAX_VARIANTS } from '../src/query/query-expansion.ts';
import { parseQuery } from '../src/query/query-parser.ts';
import { rank } from '../src/ranking/rank.ts';
import { find, indexOf, noFilter, noteOf, numbers, sorted } from './kit/notes.ts';

test('a phrase matches as it is spelt, across heading and body, never across fields', () => {
  const index = indexOf([
    noteOf(1, 'the tide turns late'),
    noteOf(2, 'the tides turn late'),
    noteOf(3, 'turns the tide'),
    noteOf(4, 'late', { title: 'the tide turns' }),
    noteOf(5, 'turns', { title: 'the tide' }),
  ]);
  assert.deepEqual(sorted(index, '"tide turns"'), [1, 4]);
  assert.deepEqual(sorted(index, '"turns late"'), [1]);
  assert.deepEqual(sorted(index, '"TIDE  turns" late'), [1, 4]);
  assert.deepEqual(sorted(index, 'tide -"the tide turns"'), [2, 3, 5]);
});

test('a query word that no note has matches longer words, or else misspelt ones, which score lower', () => {
  const index = indexOf([
    noteOf(1, 'lighthouse'),
    noteOf(2, 'lighthousekeeper'),
    noteOf(3, 'cat'),
    noteOf(4, 'бабушка'),
  ]);
  assert.deepEqual(numbers(index, 'lighthousek '), [2]);
  assert.deepEqual(numbers(index, 'lgihthuose '), [1]);
  assert.deepEqual(numbers(index, 'ligthouse'), [1]);
  assert.deepEqual(numbers(index, 'lihgthuose'), [1]);
  assert.deepEqual(numbers(index, 'kat'), []);
  assert.deepEqual(numbers(index, 'бабушкка'), [4]);
  const mixed = indexOf([noteOf(1, 'lighthouse'), noteOf(2, 'lighthousexx')]);
  assert.deepEqual(numbers(mixed, 'lighthousex'), [2]);
  assert.deepEqual(numbers(index, '1234'), []);
  const exact = find(index, 'cat')[0]?.score ?? 0;
  assert.ok((find(index, 'ligthouse')[0]?.score ?? 1) < exact);
});

test('an unfinished last word of a query matches in titles, headings, tags and folders', () => {
  const index = indexOf([
    noteOf(1, 'data', { title: 'Data' }),
    noteOf(2, 'x', { title: 'Databases' }),
    noteOf(3, '# Database design\ny'),
    noteOf(4, 'database'),
    noteOf(5, 'x', { path: 'Databank/n5.md' }),
    noteOf(6, 'x', { tags: ['datapoint'] }),
  ]);
  assert.deepEqual(sorted(index, 'data'), [1, 2, 3, 5, 6]);
  assert.equal(numbers(index, 'data')[0], 1);
  assert.deepEqual(sorted(index, 'data '), [1]);
  assert.deepEqual(sorted(index, 'data x'), [1, 2, 5, 6]);
});

test('filters of a query admit tags and folders with those below them, types, dates, paths and titles', () => {
  const index = indexOf([
    noteOf(1, 'tide', { path: 'Sea/North/a.md', tags: ['Water/Salt'], type: 'Log', created: 10, timestamp: 50 }),
    noteOf(2, 'tide', { path: 'Sea/b.md', tags: ['water'], type: 'log', created: 20 }),
    noteOf(3, 'tide', { path: 'Seaside/c.md', tags: ['waters'], timestamp: 60 }),
  ]);
  const filtered = (filter: Partial<typeof noFilter>) =>
    sorted(index, 'tide', { ...noFilter, ...filter } as typeof noFilter);
  const some = (value: object) => value as never;
  assert.deepEqual(filtered({ tags: some(['WATER']) }), [1, 2]);
  assert.deepEqual(filtered({ tags: some(['#water/salt', 'waters']) }), [1, 3]);
  assert.deepEqual(filtered({ tags: some([]) }), []);
  assert.deepEqual(filtered({ folder: 'sea' as never }), [1, 2]);
  assert.deepEqual(filtered({ type: 'LOG' as never }), [1, 2]);
  assert.deepEqual(filtered({ created: some({ from: 10, to: 10 }) }), [1]);
  assert.deepEqual(filtered({ timestamp: some({ from: 51, to: null }) }), [3]);
  assert.deepEqual(sorted(index, 'tag:water tide'), [1, 2]);
  assert.deepEqual(sorted(index, 'tag:#water/salt'), [1]);
  assert.deepEqual(sorted(index, '-tag:water tide'), [3]);
  assert.deepEqual(sorted(index, 'folder:sea'), [1, 2]);
  assert.deepEqual(sorted(index, 'folder:north tide'), [1]);
  assert.deepEqual(sorted(index, 'path:"sea/"'), [1, 2]);
  assert.deepEqual(sorted(index, 'title:n2'), [2]);
  assert.deepEqual(sorted(index, 'tide -tide'), []);
});

test('a query of filters or exclusions alone returns all allowed notes, newest first', () => {
  const index = indexOf([noteOf(1, 'tide', { tags: ['a'] }), noteOf(2, 'anchor', { tags: ['a'] }), noteOf(3, 'rope')]);
  assert.deepEqual(numbers(index, 'tag:a'), [2, 1]);
  assert.deepEqual(numbers(index, '-tide'), [3, 2]);
  assert.deepEqual(numbers(index, '…'), []);
});

test('a phrase that no allowed note has gives way to its words, unless a plus requires it', () => {
  const index = indexOf([noteOf(1, 'the tide turns late'), noteOf(2, 'the tide', { tags: ['a'] }), noteOf(3, 'rope')]);
  const relaxed = (query: string) => rank(index, parseQuery(query), noFilter, 10).relaxed;
  assert.deepEqual([sorted(index, '"late tide"'), relaxed('"late tide" x')], [[1, 2], ['late tide']]);
  assert.deepEqual([sorted(index, '+"late tide"'), relaxed('+"late tide"')], [[], []]);
  assert.deepEqual([sorted(index, '“tide turns”'), relaxed('“tide turns”')], [[1], []]);
  assert.deepEqual([sorted(index, 'tag:a "tide turns"'), relaxed('tag:a "tide turns"')], [[2], ['tide turns']]);
  assert.deepEqual(sorted(index, '"rope"'), [3]);
  assert.deepEqual(sorted(index, 'rope "tide turns" "the tide"'), [1]);
});

test('a #tag in a query finds the word anywhere, and notes with the tag first', () => {
  const body = 'work work work and more work';
  const index = indexOf([noteOf(1, body), noteOf(2, 'something else here', { tags: ['work/plan'] }), noteOf(3, 'x')]);
  assert.deepEqual(numbers(index, '#work'), [2, 1]);
  assert.deepEqual(numbers(index, 'work '), [1, 2]);
});

test('a note whose title or alias equals the query comes first, or begins with it while typing', () => {
  const index = indexOf([
    noteOf(1, 'plan plan plan', { title: 'Plan of the sea wall plan' }),
    noteOf(2, 'x', { title: 'Sea wall' }),
    noteOf(3, 'sea wall sea wall', { title: 'Old sea wall of the harbour' }),
    noteOf(4, 'y', { title: 'Z', aliases: ['Harbour wall'] }),
  ]);
  assert.equal(numbers(index, 'sea wall')[0], 2);
  assert.equal(numbers(index, 'harbour wall')[0], 4);
  assert.equal(numbers(index, 'old se')[0], 3);
});

test('words of Arabic, Hebrew and Korean match with other articles and particles, after the word itself', () => {
  const index = indexOf([
    noteOf(1, 'إعدادات المزامنة'),
    noteOf(2, 'مزامنة'),
    noteOf(3, 'הגדרות הסנכרון'),
    noteOf(4, '백업을 복원하려면'),
    noteOf(5, '자동백업 설정'),
  ]);
  assert.deepEqual(numbers(index, 'مزامنة '), [2, 1]);
  assert.deepEqual(numbers(index, 'לסנכרון '), [3]);
  assert.deepEqual(numbers(index, '백업 '), [4, 5]);
  assert.deepEqual(numbers(index, '복원 '), [4]);
});

test('Persian words match with and without plurals, pronouns, half-spaces and Arabic keyboard letters', () => {
  const index = indexOf([
    noteOf(1, 'کتاب‌های کتابخانه را تا شنبه پس بده'),
    noteOf(2, 'جلسه‌ی مدرسه برای فردا'),
    noteOf(3, 'مزامنة الحاسوب في البيت'),
  ]);
  for (const query of ['کتاب ', 'کتابها ', 'کتاب‌هایم ', 'كتاب ']) assert.deepEqual(numbers(index, query), [1], query);
  assert.deepEqual(numbers(index, 'جلسات '), [2]);
  assert.deepEqual(numbers(index, 'المزامنة '), [3]);
  const dated = indexOf([noteOf(1, 'نوروز ۱۴۰۲'), noteOf(2, 'نوروز ۱۴۰۳')]);
  assert.deepEqual(numbers(dated, '1402 '), [1]);
});

test('forms of a Korean verb are found by one another', () => {
  const index = indexOf([noteOf(1, '체인을 고쳤다'), noteOf(2, '길을 몰라서 물어봤다'), noteOf(3, '빵을 구웠다')]);
  assert.deepEqual(numbers(index, '고치는 '), [1]);
  assert.deepEqual(numbers(index, '모르는 '), [2]);
  assert.deepEqual(numbers(index, '굽기 '), [3]);
});

test('an unfinished word that a dictionary splits finds the words that it begins', () => {
  const index = indexOf([noteOf(1, 'วิ่งเจ็ดร้อยกิโลเมตร'), noteOf(2, 'ไฟหกร้อยกิโลวัตต์'), noteOf(3, 'คืนหนังสือห้องสมุด')]);
  assert.equal(numbers(index, 'กิโลเ')[0], 1);
  assert.equal(numbers(index, 'ห้องสมุ')[0], 3);
  assert.deepEqual(numbers(index, 'กิโลเมตร'), [1]);
  const japanese = indexOf([noteOf(1, '健康と保険'), noteOf(2, '健康的な朝食')]);
  assert.deepEqual(numbers(japanese, '健康'), [1, 2]);
});

test('words of German, Dutch and Swedish match in compounds, after the word itself', () => {
  const german = 'Der Hund und die Katze sind nicht im Haus, das ist auch für die Kinder mit';
  const index = indexOf([
    noteOf(1, `${german} Krankenversicherung`),
    noteOf(2, `${german} Versicherungen`),
    noteOf(3, `${german} Versicherungsvertrag`),
    noteOf(4, `${german} hundert`),
  ]);
  assert.deepEqual(sorted(index, 'versicherung '), [1, 2, 3]);
  assert.equal(numbers(index, 'versicherung ')[0], 2);
  assert.ok(!numbers(index, 'vertrag ').includes(1));
  assert.deepEqual(numbers(indexOf([noteOf(1, 'krankenversicherung')]), 'versicherung '), []);
});

test('the spelling of a query ranks first, and accents may be left out', () => {
  const index = indexOf([noteOf(1, 'ma'), noteOf(2, 'mà'), noteOf(3, 'má')]);
  assert.equal(numbers(index, 'má ')[0], 3);
  assert.equal(numbers(index, 'mà ')[0], 2);
  assert.deepEqual(sorted(index, 'ma '), [1, 2, 3]);
});

test('traditional and simplified Chinese, emoji and names with signs are found', () => {
  const index = indexOf([
    noteOf(1, '圖書館 的 電腦'),
    noteOf(2, '图书馆'),
    noteOf(3, '🎉 party'),
    noteOf(4, 'C++ and C#, .NET'),
  ]);
  assert.deepEqual(sorted(index, '图书馆 '), [1, 2]);
  assert.deepEqual(sorted(index, '圖書館 '), [1, 2]);
  assert.deepEqual(sorted(index, '🎉'), [3]);
  for (const query of ['c++', 'C#', '.net']) assert.deepEqual(sorted(index, query), [4], query);
});

test('a query has at most 64 words, and a word matches at most 32 terms', () => {
  const query = parseQuery(Array.from({ length: 100 }, (_, at) => `word${at}`).join(' '));
  assert.equal(query.words.length, 64);
  assert.equal(query.text.split(' ').length, 64);
  const excluding = parseQuery(`one ${'-"a b c d e f g h i j" '.repeat(10)} two "three four"`);
  assert.equal(excluding.excluded.flat().length, 63);
  assert.deepEqual([excluding.words.length, excluding.phrases, excluding.text], [1, [], 'one']);
  const index = indexOf([noteOf(1, Array.from({ length: 200 }, (_, at) => `lantern${at}x`).join(' '))]);
  const terms = expandWord(index.segments, { word: 'lantern', written: 'lantern' }, true, {
    all: ['en'],
    compounding: [],
  });
  assert.equal(terms.length, MAX_VARIANTS);
});
