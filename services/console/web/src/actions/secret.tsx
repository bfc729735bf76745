import { Alert, Button, TextInput } from '@mantine/core';

interface SecretProps {
  /** "The credential". */
  readonly label: string;
  readonly secret: string;
  /** What the person should do with it. */
  readonly description: string;
}

/** Shows a secret, which only this response contains. It is gone when the dialog is closed. */
export const Secret = ({ label, secret, description }: SecretProps) => (
  <>
    <Alert color="yellow" role="note">
      It is shown once, here. {description}
    </Alert>
    <TextInput
      label={label}
      id="secret"
      value={secret}
      readOnly
      data-autofocus
      autoComplete="off"
      onFocus={(event) => event.currentTarget.select()}
      rightSectionWidth={72}
      rightSection={<Button onClick={() => void navigator.clipboard.writeText(secret)}>Copy</Button>}
    />
  </>
);

interface LostSecretProps {
  /** "The endpoint was created." */
  readonly done: string;
  /** How to get a new secret. */
  readonly next: string;
}

/** Shown when the response that contained the secret did not arrive. */
export const LostSecret = ({ done, next }: LostSecretProps) => (
  <Alert color="yellow" role="note">
    {done} Its secret was in an answer that did not arrive here, and is kept nowhere. {next}
  </Alert>
);
