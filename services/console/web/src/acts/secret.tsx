import { Button, Callout, FormGroup, InputGroup } from '@blueprintjs/core';

interface SecretProps {
  /** "The credential". */
  readonly label: string;
  readonly secret: string;
  /** What is to be done with it. */
  readonly says: string;
}

/** A secret that is in one answer and nowhere else. It is gone with the dialog that shows it. */
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
  /** What to do to get another secret. */
  readonly next: string;
}

/** In place of a secret that was in an answer that did not arrive. */
export const LostSecret = ({ done, next }: LostSecretProps) => (
  <Callout intent="warning">
    {done} Its secret was in an answer that did not arrive here, and is kept nowhere. {next}
  </Callout>
);
