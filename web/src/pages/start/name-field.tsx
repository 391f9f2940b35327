import { useTexts } from '../../i18n/use-texts.ts';
import { Field } from '../../ui/controls/field.tsx';

const NAME = 'display_name';

/** Asks for the name under which others see the person. */
export function NameField() {
  const t = useTexts('start');
  return (
    <Field
      label={t('name')}
      name={NAME}
      hint={t('nameHint')}
      autoComplete="name"
      maxLength={80}
      pattern=".*\S.*"
      required
    />
  );
}

/** The name that was asked for; null where it was not. */
export function nameIn(form: FormData): string | null {
  const name = form.get(NAME);
  return typeof name === 'string' ? name : null;
}
