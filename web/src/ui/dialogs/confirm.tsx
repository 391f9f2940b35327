import { type ReactNode, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../controls/button.tsx';
import { Dialog, DialogButtons } from './dialog.tsx';

interface Question {
  readonly title: string;
  readonly text: string;
  /** The button that does it. */
  readonly yes: string;
  readonly run: () => void;
}

/** Asks before something that cannot be undone. Show `dialog`; it is null while nothing is asked. */
export function useConfirm(): { ask(question: Question): void; readonly dialog: ReactNode } {
  const t = useTexts('vault');
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  if (question === null) return { ask: setQuestion, dialog: null };
  const { title, text, yes, run } = question;
  return {
    ask: setQuestion,
    dialog: (
      <Dialog title={title} close={close}>
        <p>{text}</p>
        <DialogButtons>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button
            look="danger"
            onClick={() => {
              close();
              run();
            }}
          >
            {yes}
          </Button>
        </DialogButtons>
      </Dialog>
    ),
  };
}
