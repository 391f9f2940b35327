import { useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import field from '../../ui/controls/field.module.css';
import { Field } from '../../ui/controls/field.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { strengthOf } from './password-strength.ts';

interface PasswordFieldProps {
  readonly label: string;
  readonly name: string;
  /** Set for a new password, whose strength is shown. */
  readonly isNew?: boolean;
}

/** A password, which can be shown. */
export function PasswordField({ label, name, isNew = false }: PasswordFieldProps) {
  const t = useTexts('start');
  const [isShown, setShown] = useState(false);
  const [password, setPassword] = useState('');
  const strength = strengthOf(password);
  return (
    <div>
      <Field
        label={label}
        name={name}
        type={isShown ? 'text' : 'password'}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        autoCapitalize="none"
        spellCheck={false}
        required
        {...(isNew ? { minLength: 8, hint: t('passwordHint') } : {})}
        onChange={({ target }) => setPassword(target.value)}
        inside={
          <Button
            look="quiet"
            isIcon
            className={field.inside ?? ''}
            aria-label={t(isShown ? 'hidePassword' : 'showPassword')}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            <Icon name="eye" />
          </Button>
        }
      />
      {isNew && password !== '' ? (
        <div role="status" aria-label={t('strength.label')}>
          <div className={field.meter} data-strength={strength} aria-hidden="true">
            <span />
            <span />
            <span />
          </div>
          <p className={field.hint}>{t(`strength.${strength}`)}</p>
        </div>
      ) : null}
    </div>
  );
}
