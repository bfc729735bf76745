import { TextInput } from '@mantine/core';
import { EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { webhooks } from '../calls.ts';
import { enumName } from '../format.ts';
import type { EndpointPlace } from '../parts/endpoint-place.ts';
import { ConfirmDialog, quoted } from './confirm-dialog.tsx';
import { LostSecret, Secret } from './secret.tsx';

export interface EndpointActionProps extends EndpointPlace {
  readonly onOpen: (isOpen: boolean) => void;
}

/** Returns the arguments that identify an endpoint in a command. */
export const placeOf = ({ account, environment }: EndpointPlace): string =>
  `${account.accountId} --environment ${enumName(EnvironmentSchema, environment)}`;

const SIGNS = 'The supplier needs it to check what arrives: give it to them by a way that is safe.';

/** Creates an endpoint for a supplier's webhooks. */
export function CreateEndpointAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const { accountId, name } = account;
  const [url, setUrl] = useState('');
  return (
    <ConfirmDialog
      name="Create an endpoint"
      description={`Sends events of ${name} to this URL from now on.`}
      environment={environment}
      command={`sss endpoints create ${placeOf(props)} --url ${quoted(url.trim())}`}
      isReady={url.trim() !== ''}
      onOpen={onOpen}
      run={(idempotencyKey) =>
        webhooks.createEndpoint({ accountId, environment, url: url.trim(), idempotencyKey })
      }
      renderResult={({ signingSecret, secretAlreadyShown }) =>
        secretAlreadyShown ? (
          <LostSecret done="The endpoint was created." next="Replace the secret." />
        ) : (
          <Secret label="Signing secret" secret={signingSecret} description={SIGNS} />
        )
      }
    >
      <UrlField id={`create-${environment}`} value={url} onChange={setUrl} />
    </ConfirmDialog>
  );
}

/** Changes the URL of an endpoint. */
export function SetUrlAction({ present, ...props }: EndpointActionProps & { readonly present: string }) {
  const { account, environment, onOpen } = props;
  const { accountId, name } = account;
  const [stated, setStated] = useState<string>();
  const url = (stated ?? present).trim();
  return (
    <ConfirmDialog
      name="Set the URL"
      description={`Sends the webhooks of ${name} to this URL from the next attempt on, including pending ones.`}
      environment={environment}
      command={`sss endpoints set-url ${placeOf(props)} --url ${quoted(url)}`}
      isReady={url !== ''}
      onOpen={onOpen}
      run={async () => {
        await webhooks.updateEndpointUrl({ accountId, environment, url });
        setStated(undefined);
      }}
    >
      <UrlField id={`url-${environment}`} value={stated ?? present} onChange={setStated} />
    </ConfirmDialog>
  );
}

/** Rotates the signing secret. */
export function RotateSecretAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const { accountId, name } = account;
  return (
    <ConfirmDialog
      name="Replace the secret"
      description={`The current signing secret stops working immediately: ${name} refuses webhooks until it has the new one.`}
      environment={environment}
      command={`sss endpoints rotate-secret ${placeOf(props)} --yes`}
      isReady
      onOpen={onOpen}
      run={() => webhooks.rotateSecret({ accountId, environment })}
      renderResult={({ signingSecret }) => (
        <Secret label="Signing secret" secret={signingSecret} description={SIGNS} />
      )}
    />
  );
}

/** Disables an endpoint. */
export function DisableEndpointAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const { accountId, name } = account;
  return (
    <ConfirmDialog
      name="Disable"
      description={`Stops sending webhooks to ${name}. Events that occur while its endpoint is disabled are never delivered.`}
      environment={environment}
      command={`sss endpoints disable ${placeOf(props)} --yes`}
      isReady
      onOpen={onOpen}
      run={() => webhooks.disableEndpoint({ accountId, environment })}
    />
  );
}

/** Enables an endpoint. */
export function EnableEndpointAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const { accountId, name } = account;
  return (
    <ConfirmDialog
      name="Enable"
      description={`Sends webhooks to ${name} again, including those pending for less than 24 hours.`}
      environment={environment}
      command={`sss endpoints enable ${placeOf(props)}`}
      isReady
      onOpen={onOpen}
      run={() => webhooks.enableEndpoint({ accountId, environment })}
    />
  );
}

interface UrlFieldProps {
  readonly id: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string | undefined;
}

export const UrlField = ({ id, value, onChange, help }: UrlFieldProps) => (
  <TextInput
    label="URL"
    description={help}
    id={id}
    inputMode="url"
    value={value}
    maxLength={2048}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
