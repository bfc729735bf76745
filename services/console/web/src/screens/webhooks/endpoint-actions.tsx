import { TextInput } from '@mantine/core';
import type { Account } from '@supplier/proto/account/v1/account';
import { type Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import type { ListedEndpoint } from '@supplier/proto/webhook/v1/webhook';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { webhooks } from '../../calls.ts';
import { marked, useViolation } from '../../components/fields.tsx';
import { LostSecret, Secret } from '../../components/secret.tsx';
import { enumName, quoted } from '../../format.ts';
import { pendingOf } from './endpoint-health.ts';

export interface EndpointActionProps {
  readonly account: Account;
  readonly environment: Environment;
  /** Undefined in an environment without an endpoint. */
  readonly listed: ListedEndpoint | undefined;
  readonly onOpen: (isOpen: boolean) => void;
  readonly isPrimary?: boolean;
}

/** Returns the arguments that identify an endpoint in a command. */
export const flagsOf = ({ account, environment }: EndpointActionProps): string =>
  `${account.accountId} --environment ${enumName(EnvironmentSchema, environment)}`;

const URL_FORM = /^https:\/\/[^/]/;

/** Returns whether the service may accept a text as the URL of an endpoint. */
export const isUrl = (url: string): boolean => URL_FORM.test(url.trim());

/** Creates an endpoint for a supplier's webhooks. */
export function CreateEndpointAction(props: EndpointActionProps) {
  const { account, environment, onOpen, isPrimary } = props;
  const { accountId, name } = account;
  const [url, setUrl] = useState('');
  return (
    <ConfirmDialog
      name="Create an endpoint"
      isPrimary={isPrimary}
      description={`Sends events for ${name} to this URL from now on.`}
      environment={environment}
      command={`sss endpoints create ${flagsOf(props)} --url ${quoted(url.trim())}`}
      isReady={isUrl(url)}
      unready="Enter a complete URL."
      onOpen={onOpen}
      run={(idempotencyKey) =>
        webhooks.createEndpoint({ accountId, environment, url: url.trim(), idempotencyKey })
      }
      renderResult={secretOr(
        <LostSecret done="The endpoint was created." next="Rotate the secret to get a new one." />,
      )}
    >
      <UrlField value={url} onChange={setUrl} />
    </ConfirmDialog>
  );
}

interface IssuedSecret {
  readonly signingSecret: string;
  readonly secretAlreadyShown: boolean;
}

/** Renders a new signing secret, or `lost` if the response that contained it did not arrive. */
const secretOr =
  (lost: ReactNode) =>
  ({ signingSecret, secretAlreadyShown }: IssuedSecret) =>
    secretAlreadyShown ? (
      lost
    ) : (
      <Secret
        label="Signing secret"
        secret={signingSecret}
        description="The supplier needs it to verify webhooks. Send it over a secure channel."
      />
    );

/** Changes the URL of an endpoint. */
export function ChangeUrlAction(props: EndpointActionProps) {
  const { account, environment, listed, onOpen } = props;
  const { accountId, name } = account;
  const [entered, setEntered] = useState<string>();
  const url = entered ?? listed?.endpoint?.url ?? '';
  return (
    <ConfirmDialog
      name="Change URL"
      description={`From the next attempt, sends webhooks for ${name} to this URL, including ${pendingOf(listed)}.`}
      environment={environment}
      command={`sss endpoints set-url ${flagsOf(props)} --url ${quoted(url.trim())}`}
      isReady={isUrl(url)}
      unready="Enter a complete URL."
      onOpen={onOpen}
      run={async () => {
        await webhooks.updateEndpointUrl({ accountId, environment, url: url.trim() });
        setEntered(undefined);
      }}
      toastOf={() => ({ message: 'URL changed' })}
    >
      <UrlField value={url} onChange={setEntered} />
    </ConfirmDialog>
  );
}

/** Rotates the signing secret. */
export function RotateSecretAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const { accountId, name } = account;
  return (
    <ConfirmDialog
      name="Rotate secret"
      description={`The current signing secret stops working immediately. ${name} rejects webhooks until it has the new one.`}
      environment={environment}
      command={`sss endpoints rotate-secret ${flagsOf(props)} --yes`}
      isDestructive
      onOpen={onOpen}
      run={(idempotencyKey) => webhooks.rotateSecret({ accountId, environment, idempotencyKey })}
      renderResult={secretOr(<LostSecret done="The secret was rotated." next="Rotate it again." />)}
    />
  );
}

/** Disables an endpoint, or enables it again. */
export function EndpointStateAction(props: EndpointActionProps) {
  const { account, environment, listed, onOpen } = props;
  const { accountId, name } = account;
  const pending = pendingOf(listed);
  const action = listed?.endpoint?.enabled
    ? ({
        verb: 'disable',
        name: 'Disable',
        effect: `Stops sending webhooks to ${name}. ${pending} ${pending.startsWith('1 ') ? 'stays' : 'stay'} pending. New events are never delivered.`,
        done: 'Endpoint disabled',
      } as const)
    : ({
        verb: 'enable',
        name: 'Enable',
        effect: `Sends webhooks to ${name} again: ${pending}, unless older than 24 hours.`,
        done: 'Endpoint enabled',
      } as const);
  const isDestructive = action.verb === 'disable';
  return (
    <ConfirmDialog
      name={action.name}
      description={action.effect}
      environment={environment}
      command={`sss endpoints ${action.verb} ${flagsOf(props)}${isDestructive ? ' --yes' : ''}`}
      isDestructive={isDestructive}
      onOpen={onOpen}
      run={() => webhooks[`${action.verb}Endpoint`]({ accountId, environment })}
      toastOf={() => ({ message: action.done })}
    />
  );
}

interface UrlFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string | undefined;
}

/** Input of a URL, checked as the person types. The beginning of `https://` isn't wrong yet. */
export function UrlField({ value, onChange, help }: UrlFieldProps) {
  const violation = useViolation('url');
  const isBeginning = 'https://'.startsWith(value.trim());
  return (
    <TextInput
      label="URL"
      description={help}
      {...marked(help === undefined)}
      aria-required={help === undefined}
      error={isBeginning || isUrl(value) ? violation : 'Enter an https:// URL with a host.'}
      inputMode="url"
      mb="sm"
      value={value}
      maxLength={2048}
      data-autofocus
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
