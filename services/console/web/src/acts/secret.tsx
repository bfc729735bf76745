import { Button, Callout, FormGroup, InputGroup } from '@blueprintjs/core';

interface SecretProps {
  /** "The credential". */
  readonly label: string;
  readonly secret: string;
  /** What the person should do with it. */
  readonly says: string;
}

/** Shows a secret, which only this response contains. It is gone when the dialog is closed. */
export const Secret = ({ label, secret, says }: SecretProps) => (
  <>
    <Callout intent="warning">It is shown once, here. {says}</Callout>
    <FormGroup label={label} labelFor="secret">
      <InputGroup
        id="secret"
        value={secret}
        readOnly
        autoFocus
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
        rightElement={<Button onClick={() => void navigator.clipboard.writeText(secret)}>Copy</Button>}
      />
    </FormGroup>
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
  <Callout intent="warning">
    {done} Its secret was in an answer that did not arrive here, and is kept nowhere. {next}
  </Callout>
);
