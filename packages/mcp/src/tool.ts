import type { NotevaultClient } from '@notevault/client/notevault-client.ts';
import type { Rule } from '@notevault/protocol/operations.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Answer, ToolFailure } from './text/answer.ts';

/** Context of a tool: the API with the caller's credential. */
export interface ToolContext {
  readonly client: NotevaultClient;
  /** The vaults that the credential has access to; read once per call. */
  readonly vaults: () => Promise<readonly Vault[]>;
  /** Counts writes in the caller's budget. Throws ToolFailure when they exceed it. */
  readonly spendWrites: (count: number) => void;
  /** Reports progress to a caller that asked for it. */
  readonly progress: (done: number, total: number) => Promise<void>;
  readonly now: () => Date;
  /** Returns a short unified diff of two texts, as `unifiedDiff` does; null if it cannot be made. Never throws. */
  readonly diff: (before: string, after: string) => Promise<string | null>;
}

/** Hints about a tool's effects, which hosts show to people before they allow a call. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
}

type WriterHints = Omit<ToolHints, 'readOnlyHint'>;

const READS: WriterHints = { destructiveHint: false, idempotentHint: true };
/** Adds something and changes nothing that exists. */
export const ADDS: WriterHints = { destructiveHint: false, idempotentHint: false };
/** Changes or removes something that exists. */
export const CHANGES: WriterHints = { destructiveHint: true, idempotentHint: false };

interface ToolSpec<Input extends TObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** The rule of the operation that requires most of those that it calls. */
  readonly rule: Rule;
  /** Hints of a tool that writes. */
  readonly hints?: WriterHints;
  /** Set when the tool itself counts a write for each note it may change. */
  readonly spendsByNote?: true;
  readonly run: (input: Static<Input>, context: ToolContext) => Promise<Answer>;
}

/** A tool whose input type was checked and erased. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  readonly hints: ToolHints;
  readonly spendsByNote: boolean;
  /** Whether it is refused to viewers of a vault. */
  readonly forEditors: boolean;
  /** Throws ToolFailure for input that does not fit the schema, and when the tool refuses. */
  readonly call: (input: unknown, context: ToolContext) => Promise<Answer>;
}

/** Declares a tool. Its schema is compiled at the first call, which a start of the server does not wait for. */
export function tool<const Input extends TObject>(spec: ToolSpec<Input>): Tool {
  const { name, title, description, input, rule, hints = READS, spendsByNote = false } = spec;
  let validator: ReturnType<typeof Compile<Input>> | undefined;
  const known = Object.keys(input.properties).join(', ');
  return {
    ...{ name, title, description, input, spendsByNote, forEditors: rule.role !== undefined },
    hints: { readOnlyHint: rule.vault !== 'write', ...hints },
    async call(sent, context) {
      validator ??= Compile(input);
      if (!validator.Check(sent)) {
        // For an unknown field there are two errors, of which this one says nothing.
        const faults = [...validator.Errors(sent)].filter(({ keyword }) => keyword !== 'boolean').slice(0, 5);
        const reasons = faults.map(({ instancePath, message, params }) => {
          const { additionalProperties, allowedValues } = params as Readonly<Record<string, string[] | undefined>>;
          const extra = (additionalProperties?.filter(isPlainName).slice(0, 5) ?? allowedValues)?.join(', ');
          const field = instancePath.slice(1).replaceAll('/', '.') || 'arguments';
          return `- ${field} ${message}${extra === undefined ? '' : `: ${extra}`}`;
        });
        throw new ToolFailure(
          `The arguments of ${name} are not valid; nothing was done.`,
          ...reasons,
          `It takes: ${known}.`,
        );
      }
      return spec.run(sent as Static<Input>, context);
    },
  };
}

/** Returns whether the name of a field that a call made up can be repeated; others may be text of a note. */
function isPlainName(name: string): boolean {
  return /^\w{1,40}$/.test(name);
}
