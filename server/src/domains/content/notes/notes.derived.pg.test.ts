import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../test/kit/notes.ts';

onEachEngine('what a note says of itself', (open) => {
  const start = notesOnOneServer(open);

  test('valid frontmatter gives every field, and none without it', async () => {
    const { alice } = await start();
    const content = [
      '---',
      'title: "The: title"',
      'description: What it is about',
      'created: 2024-02-29',
      'date: 2020-01-01',
      'modified: 2024-03-01T10:20:30+02:00',
      'resource: https://example.org/x',
      'type: Article',
      'tags: [one, "#Two", one/deep]',
      'tag: three, ONE four',
      'aliases: [Other]',
      'rating: 5',
      '---',
      '# Heading',
      'text #five and #two',
    ];
    for (const [path, end] of [['lf.md', '\n'] as const, ['crlf.md', '\r\n'] as const]) {
      await alice.write(path, content.join(end));
      const { body } = await alice.read(path);
      assert.deepEqual(
        [body.title, body.description, body.resource, body.type, body.parse_status],
        ['The: title', 'What it is about', 'https://example.org/x', 'Article', 'ok'],
      );
      assert.deepEqual([body.fm_created, body.fm_timestamp], ['2024-02-29T00:00:00.000Z', '2024-03-01T08:20:30.000Z']);
      assert.deepEqual(body.tags, ['one', 'Two', 'one/deep', 'three', 'four', 'five']);
      assert.ok(!('parse_reason' in body));
    }
    await alice.write('lf.md', 'no frontmatter');
    const { body } = await alice.read('lf.md');
    for (const field of ['description', 'fm_created', 'fm_timestamp', 'resource', 'type'])
      assert.equal(body[field], null);
    assert.deepEqual([body.title, body.tags, body.parse_status], ['lf', [], 'ok']);
  });

  test('invalid frontmatter says why, keeps the content, and reveals no value', async () => {
    const { alice } = await start();
    const cases: readonly [code: string, content: string, key: string | null][] = [
      ['unterminated', '---\nsecret: swordfish\ntext', null],
      ['yaml_syntax', '---\nsecret: [swordfish\n---\n# Body\n', 'secret'],
      ['not_a_mapping', '---\n- swordfish\n---\n# Body\n', null],
      ['duplicate_key', '---\ntype: swordfish\ntype: b\n---\n# Body\n', 'type'],
      ['bad_value', '---\ntitle: [swordfish]\n---\n# Body\n', 'title'],
      ['too_large', `---\nsecret: ${'swordfish '.repeat(7000)}\n---\n# Body\n`, null],
    ];
    for (const [code, content, key] of cases) {
      const written = await alice.write(`${code}.md`, content);
      const { body } = await alice.read(`${code}.md`);
      assert.deepEqual(body, written);
      assert.deepEqual([body.content, body.parse_status, body.parse_reason.code], [content, 'degraded', code]);
      assert.equal(body.parse_reason.detail.key, key, code);
      assert.ok(!JSON.stringify(body.parse_reason).includes('swordfish'), code);
      assert.equal((await alice.write(`${code}.md`, '# Mended')).parse_status, 'ok');
    }
  });

  test('an unreadable date is null and no fault', async () => {
    const { alice } = await start();
    const note = await alice.write('a.md', '---\ncreated: some day\nupdated: 2024-13-40\n---\n');
    assert.deepEqual([note.fm_created, note.fm_timestamp, note.parse_status], [null, null, 'ok']);
  });

  test('tags come from the text, but not from code, links and addresses', async () => {
    const { alice } = await start();
    const note = await alice.write(
      'a.md',
      '#Start #123 x#no `#code` https://x.test/#url [[b#heading]] (#paren) #日本 #ёлка/игрушка #start\n\n    #indented\n',
    );
    assert.deepEqual(note.tags, ['Start', '日本', 'ёлка/игрушка']);
    assert.deepEqual((await alice.write('a.md', 'no more')).tags, []);
    assert.deepEqual((await alice.read('a.md')).body.tags, []);
  });

  test('the title is that of the frontmatter, else the first heading, else the name', async () => {
    const { alice } = await start();
    const title = async (content: string) => (await alice.write('Folder/My note.MD', content)).title;
    assert.equal(await title('---\ntitle: Front\n---\n# Head\n'), 'Front');
    assert.equal(await title('```\n# code\n```\n## second\n# Head #\n# Other\n'), 'Head');
    assert.equal(await title('## only second\n'), 'My note');
    assert.equal(await title(''), 'My note');
  });
});
