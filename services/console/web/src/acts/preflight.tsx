import { Callout } from '@blueprintjs/core';
import { visible } from '@supplier/lib/text/visible';
import type { PreflightEndpointResponse } from '@supplier/proto/webhook/v1/webhook';
import { useState } from 'react';
import { webhooks } from '../calls.ts';
import { attemptOf } from '../parts/attempt.ts';
import { timeOf } from '../words.ts';
import { Act, quoted } from './act.tsx';
import { AnswerHead } from './answer-head.tsx';
import { type EndpointActProps, placeOf, UrlField } from './endpoint-acts.tsx';

/** Tests an endpoint, or a URL that may become one. */
export function PreflightAct({
  hasEndpoint,
  ...props
}: EndpointActProps & { readonly hasEndpoint: boolean }) {
  const { account, environment, onOpen } = props;
  const [url, setUrl] = useState('');
  const stated = url.trim() === '' ? undefined : url.trim();
  return (
    <Act
      name="Preflight"
      says={`One signed ping is sent for ${account.name}: whether its host is found, its certificate trusted and its answer as it must be. Nothing is recorded but who tried it.`}
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
      shows={(answer) => <PreflightSteps answer={answer} />}
    >
      <UrlField
        id={`preflight-${environment}`}
        value={url}
        onChange={setUrl}
        help={hasEndpoint ? 'Another than that of the endpoint; nothing for that one.' : undefined}
      />
    </Act>
  );
}

/** Shows how far a ping came, step by step, and what blocked it. */
function PreflightSteps({ answer }: { readonly answer: PreflightEndpointResponse }) {
  const { ready, url, addresses, certificate, ping, keyFingerprint, findings } = answer;
  return (
    <>
      <Callout intent={ready ? 'success' : 'danger'}>
        {ready ? 'Events would arrive.' : 'Events would not arrive.'}
      </Callout>
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
            ? `${visible(certificate.subject)}, of ${visible(certificate.issuer)}, until ${timeOf(certificate.notAfter)}, ${certificate.tlsVersion}, ${certificate.fault === '' ? 'trusted' : certificate.fault}`
            : 'not seen'}
        </li>
        <li>
          Ping: {ping ? attemptOf(ping) : 'not sent'}, signed with the secret {keyFingerprint}
          <AnswerHead head={ping?.answerHead} />
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
