import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../controls/button.tsx';
import { Dialog, DialogButtons } from './dialog.tsx';

/** Confirmation before an action that cannot be undone. */
export interface Question {
  readonly title: string;
  readonly text: string;
  /** The button that does it. */
  readonly yes: string;
  readonly run: () => void;
}

export function ConfirmDialog({ question, close }: { readonly question: Question; readonly close: () => void }) {
  const t = useTexts('vault');
  const { title, text, yes, run } = question;
  return (
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
  );
}
