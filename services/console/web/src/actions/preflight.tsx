import { Alert } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import type { PreflightEndpointResponse } from '@supplier/proto/webhook/v1/webhook';
import { useState } from 'react';
import { webhooks } from '../calls.ts';
import { formatTime } from '../format.ts';
import { attemptOf } from '../parts/attempt.ts';
import { ConfirmDialog, quoted } from './confirm-dialog.tsx';
import { type EndpointActionProps, placeOf, UrlField } from './endpoint-actions.tsx';
import { ResponseBody } from './response-body.tsx';

/** Tests an endpoint, or a URL that may become one. */
export function PreflightAction({
  hasEndpoint,
  ...props
}: EndpointActionProps & { readonly hasEndpoint: boolean }) {
  const { account, environment, onOpen } = props;
  const [url, setUrl] = useState('');
  const stated = url.trim() === '' ? undefined : url.trim();
  return (
    <ConfirmDialog
      name="Preflight"
      description={`Sends one signed ping for ${account.name} and checks its DNS, certificate and response. Only the audit log records it.`}
      environment={environment}
      command={`sss endpoints preflight ${placeOf(props)}${stated ? ` --url ${quoted(stated)}` : ''}`}
      isReady={hasEndpoint || stated !== undefined}
      onOpen={onOpen}
      run={() =>
        webhooks.preflightEndpoint({
          accountId: account.accountId,
          environment,
          ...(stated ? { url: stated } : {}),
        })
      }
      renderResult={(answer) => <PreflightSteps answer={answer} />}
    >
      <UrlField
        id={`preflight-${environment}`}
        value={url}
        onChange={setUrl}
        help={hasEndpoint ? 'Another than that of the endpoint; nothing for that one.' : undefined}
      />
    </ConfirmDialog>
  );
}

/** Shows how far a ping came, step by step, and what blocked it. */
function PreflightSteps({ answer }: { readonly answer: PreflightEndpointResponse }) {
  const { ready, url, addresses, certificate, ping, keyFingerprint, findings } = answer;
  return (
    <>
      <Alert color={ready ? 'green' : 'red'} role="note">
        {ready ? 'Events would arrive.' : 'Events would not arrive.'}
      </Alert>
      <ol className="steps">
        <li>
          URL: <span className="command">{url}</span>
        </li>
        <li>
          Addresses:{' '}
          {addresses.length === 0
            ? 'none found'
            : addresses
                .map(({ address, admitted }) => `${address}${admitted ? '' : ' (not admitted)'}`)
                .join(', ')}
        </li>
        <li>
          Certificate:{' '}
          {certificate
            ? `${visible(certificate.subject)}, of ${visible(certificate.issuer)}, until ${formatTime(certificate.notAfter)}, ${certificate.tlsVersion}, ${certificate.fault === '' ? 'trusted' : certificate.fault}`
            : 'not seen'}
        </li>
        <li>
          Ping: {ping ? attemptOf(ping) : 'not sent'}, signed with the secret {keyFingerprint}
          <ResponseBody head={ping?.answerHead} />
        </li>
      </ol>
      {findings.length === 0 ? null : (
        <ul>
          {findings.map((finding) => (
            <li key={finding}>{visible(finding)}</li>
          ))}
        </ul>
      )}
    </>
  );
}
