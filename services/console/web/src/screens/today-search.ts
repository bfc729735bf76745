import { Environment } from '@supplier/proto/common/v1/status';

/** The environment whose queues are shown; production unless the URL names the sandbox. */
export interface TodaySearch {
  readonly environment?: Environment.SANDBOX;
}

export const todaySearch = (given: Record<string, unknown>): TodaySearch =>
  Number(given.environment) === Environment.SANDBOX ? { environment: Environment.SANDBOX } : {};
