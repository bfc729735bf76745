import { Alert, TextInput } from '@mantine/core';
import { createContext, useContext, useEffect } from 'react';
import { Copy } from './copy.tsx';

/** Receives whether the dialog shows a secret that has not been copied. */
export const UncopiedSecret = createContext<(isUncopied: boolean) => void>(() => {});

interface SecretProps {
  /** "Credential". */
  readonly label: string;
  readonly secret: string;
  /** What the person should do with it. */
  readonly description: string;
}

/** Shows a secret, which only this response contains. It is gone when the dialog is closed. */
export function Secret({ label, secret, description }: SecretProps) {
  const setUncopied = useContext(UncopiedSecret);
  useEffect(() => setUncopied(true), [setUncopied]);
  const onCopied = () => setUncopied(false);
  return (
    <>
      <Alert color="yellow" role="note" mb="sm">
        Copy it now. It is shown only once. {description}
      </Alert>
      <TextInput
        label={label}
        id="secret"
        value={secret}
        readOnly
        data-autofocus
        autoComplete="off"
        classNames={{ input: 'mono' }}
        onFocus={(event) => event.currentTarget.select()}
        onCopy={onCopied}
        rightSectionWidth={76}
        rightSection={<Copy text={secret} onCopied={onCopied} />}
      />
    </>
  );
}

interface LostSecretProps {
  /** "The endpoint was created." */
  readonly done: string;
  /** How to get a new secret. */
  readonly next: string;
}

/** Explains that the response that contained the secret did not arrive. */
export const LostSecret = ({ done, next }: LostSecretProps) => (
  <Alert color="yellow" role="note">
    {done} The response with its secret was lost, and the secret is not stored. {next}
  </Alert>
);
