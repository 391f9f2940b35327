import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Question } from './confirm-dialog.tsx';

const ConfirmDialog = lazy(() => import('./confirm-dialog.tsx').then((module) => ({ default: module.ConfirmDialog })));

/** Asks before something that cannot be undone. Show `dialog`; it is null while nothing is asked. */
export function useConfirm(): { ask(question: Question): void; readonly dialog: ReactNode } {
  const [question, setQuestion] = useState<Question | null>(null);
  if (question === null) return { ask: setQuestion, dialog: null };
  return {
    ask: setQuestion,
    dialog: (
      <Suspense>
        <ConfirmDialog question={question} close={() => setQuestion(null)} />
      </Suspense>
    ),
  };
}
