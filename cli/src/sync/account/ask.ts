import { createInterface } from 'node:readline/promises';
import { CliError } from '../../error-messages.ts';
import { printable } from '../../print.ts';

/**
 * Asks a person to choose; returns the index. Without a terminal, fails with the choices.
 *
 * @param flags the flags that make the choice without asking.
 */
export async function ask(question: string, choices: readonly string[], flags: string): Promise<number> {
  const lines = choices.map((choice, index) => `  ${index + 1}  ${printable(choice)}`).join('\n');
  if (!process.stdin.isTTY) throw new CliError(`${question} Choose with ${flags}:\n${lines}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = Number(await terminal.question(`${question}\n${lines}\nNumber: `));
      if (Number.isInteger(answer) && answer >= 1 && answer <= choices.length) return answer - 1;
    }
  } finally {
    terminal.close();
  }
}
