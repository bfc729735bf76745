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
