import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import styles from './dialog.module.css';
import { heldFocus } from './held-focus.ts';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** Called when the dialog is gone. */
  readonly closed?: () => void;
  /** For two texts beside each other. */
  readonly isWide?: boolean;
  /** For a field with a list: the title is only read out, and the field is at the top. */
  readonly isFinder?: boolean;
  readonly children: ReactNode;
}

/**
 * A dialog, open for as long as it is there; Escape and a click beside it close it. What had the focus before has it
 * again afterwards, unless something else took it.
 */
export function Dialog({ title, close, closed, isWide = false, isFinder = false, children }: DialogProps) {
  const t = useTexts('vault');
  const [before] = useState(() => {
    const { activeElement } = document;
    return activeElement === null ? null : (heldFocus.get(activeElement) ?? activeElement);
  });
  return (
    <Radix.Root open onOpenChange={close}>
      <Radix.Portal>
        <Radix.Overlay className={styles.veil} />
        <Radix.Content
          className={styles.dialog}
          data-wide={isWide || undefined}
          data-finder={isFinder || undefined}
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            // Radix would give it to the button that opened the dialog, and there is none.
            event.preventDefault();
            closed?.();
            if (document.activeElement === document.body) focusAgain(before);
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

/**
 * Returns the focus to an element; to the page if the element is gone, and to the new editor if a text was replaced.
 */
function focusAgain(before: Element | null): void {
  const isThere = before?.isConnected === true && before !== document.body;
  const other = before?.matches('[contenteditable]') === true ? 'main [contenteditable="true"]' : 'main';
  const target = isThere ? before : (document.querySelector(other) ?? document.querySelector('main'));
  if (target instanceof HTMLElement) target.focus();
}

/** The buttons at the end of a dialog. */
export function DialogButtons({ children }: { readonly children: ReactNode }) {
  return <div className={styles.buttons}>{children}</div>;
}
