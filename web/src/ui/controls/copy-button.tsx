import { useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** “Copy” by default. A button with another one is the main action of its place, and looks so. */
  readonly label?: string;
}

/** Copies a text; says so until the focus leaves it. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const t = useTexts('vault');
  const [isCopied, setCopied] = useState(false);
  // Browsers give the clipboard to secure contexts only.
  if (navigator.clipboard === undefined) return null;
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <Button look={label === undefined ? 'quiet' : 'plain'} onClick={() => void copy()} onBlur={() => setCopied(false)}>
      <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      {isCopied ? t('copied') : (label ?? t('copy'))}
    </Button>
  );
}
