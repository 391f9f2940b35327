import { useState } from 'react';

interface Attempt {
  readonly isRunning: boolean;
  readonly error: unknown;
}

/** Runs an action of a form once at a time; keeps its failure until the next try. */
export function useAttempt(): Attempt & { run(action: () => Promise<unknown>): void } {
  const [attempt, setAttempt] = useState<Attempt>({ isRunning: false, error: null });
  return {
    ...attempt,
    run(action) {
      if (attempt.isRunning) return;
      setAttempt({ isRunning: true, error: null });
      action().then(
        () => setAttempt({ isRunning: false, error: null }),
        (error: unknown) => setAttempt({ isRunning: false, error }),
      );
    },
  };
}
