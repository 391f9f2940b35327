import * as Radix from '@radix-ui/react-dialog';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** Called when the dialog is gone; returns whether it put the focus somewhere. */
  readonly closed?: () => boolean;
  readonly children: ReactNode;
}

/** A dialog, open for as long as it is there; Escape and a click beside it close it. */
export function Dialog({ title, close, closed, children }: DialogProps) {
  const t = useTexts('vault');
  return (
    <Radix.Root open onOpenChange={close}>
      <Radix.Portal>
        <Radix.Overlay className={styles.veil} />
        <Radix.Content
          className={styles.dialog}
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            if (closed?.() === true) event.preventDefault();
          }}
        >
          <div className={styles.head}>
            <Radix.Title className={styles.title}>{title}</Radix.Title>
            <Radix.Close asChild>
              <Button look="quiet" isIcon aria-label={t('close')}>
                <Icon name="close" />
              </Button>
            </Radix.Close>
          </div>
          <div className={styles.body}>{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The buttons at the end of a dialog. */
export function DialogButtons({ children }: { readonly children: ReactNode }) {
  return <div className={styles.buttons}>{children}</div>;
}
