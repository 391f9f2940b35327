/** A note of about `bytes` bytes with a heading, some links to its neighbours and a tag; deterministic by its index. */
export function noteText(index: number, bytes: number): string {
  const words = ['river', 'stone', 'lantern', 'meadow', 'harbour', 'signal', 'paper', 'winter', 'copper', 'garden'];
  let text = `# Note ${index}\n\nSee [[note ${index - 1}]] and [[note ${index - 7}|before]]. #topic/${index % 20}\n\n`;
  for (let at = index; text.length < bytes; at = (at * 1103515245 + 12345) % 2147483648) {
    text += `${words[at % words.length]}${at % 13 === 0 ? '.\n\n' : ' '}`;
  }
  return text;
}

export function notePath(index: number): string {
  return `folder ${index % 50}/note ${index}.md`;
}
