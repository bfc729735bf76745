import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextValues, type UnaryRequest } from '@connectrpc/connect';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { startTestProcess } from '../../testing/index.ts';
import { callInterceptors } from './interceptors.ts';

it('a call whose time is up while it is being admitted does not run', async () => {
  const process = startTestProcess('billing');
  const [observe] = callInterceptors(process.log, () => {});
  const method = BillingService.method.getSubmissionLedger;
  const timeIsUp = new ConnectError('the operation timed out', Code.DeadlineExceeded);
  const request = {
    stream: false,
    service: BillingService,
    method,
    requestMethod: 'POST',
    url: '',
    header: new Headers(),
    signal: AbortSignal.abort(timeIsUp),
    contextValues: createContextValues(),
    message: create(method.input),
  } as UnaryRequest;
  let ran = false;
  const call = observe?.(async () => {
    ran = true;
    throw new Error('it ran');
  })(request);
  await expect(call).rejects.toMatchObject({ code: Code.DeadlineExceeded });
  expect(ran).toBe(false);
  await process.stop();
});
