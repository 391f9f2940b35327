import { WELCOME_STEPS, type WelcomeStep } from '../../page/search-params.ts';

/** The first run of an account: the steps after making it, of which admins have one more. */
export interface Position {
  /** From 2: making the account was the first. */
  readonly number: number;
  readonly total: number;
  readonly before: WelcomeStep | null;
  /** Null after the last. */
  readonly next: WelcomeStep | null;
}

/** Returns the position of a step among the account's steps; a step that it does not have counts as the last one. */
export function positionOf(wanted: WelcomeStep, role: string): Position & { readonly step: WelcomeStep } {
  const steps = WELCOME_STEPS.filter((step) => step !== 'checks' || role === 'admin');
  const at = steps.includes(wanted) ? steps.indexOf(wanted) : steps.length - 1;
  return {
    step: steps[at] ?? 'notes',
    number: at + 2,
    total: steps.length + 1,
    before: steps[at - 1] ?? null,
    next: steps[at + 1] ?? null,
  };
}
