import { useRef, useState } from 'react';

interface Attempt {
  readonly isRunning: boolean;
  readonly error: unknown;
}

/** Runs an action of a form once at a time; keeps its failure until the next try. */
export function useAttempt(): Attempt & { run(action: () => Promise<unknown>): void } {
  const [attempt, setAttempt] = useState<Attempt>({ isRunning: false, error: null });
  // A second submit may come before the first one was drawn.
  const isRunning = useRef(false);
  const become = (next: Attempt) => {
    isRunning.current = next.isRunning;
    setAttempt(next);
  };
  return {
    ...attempt,
    run(action) {
      if (isRunning.current) return;
      become({ isRunning: true, error: null });
      action().then(
        () => become({ isRunning: false, error: null }),
        (error: unknown) => become({ isRunning: false, error }),
      );
    },
  };
}
