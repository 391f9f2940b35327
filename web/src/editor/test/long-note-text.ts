/** A note of many lines, with everything that notes have. */
export function longNote(lines: number): string {
  const block = [
    ...[
      '## Heading',
      '',
      'Some **bold** and *italic* text with a [[Note|link]], a #tag and `code` in a line that is long.',
      '',
    ],
    ...['- one', '- [ ] two', '', '> quote', '', '```js', 'const a = 1;', '```', ''],
  ];
  return Array.from({ length: lines }, (_, index) => block[index % block.length]).join('\n');
}
