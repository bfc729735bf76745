import { readJsonIfPresent, writePrivateJson } from '../state/private-file.ts';

/** What the stack knows of a seeded supplier: exactly what stack.json says of it. */
export interface RememberedSupplier {
  accountId: string;
  credential?: string;
  liveCredential?: string;
  webhookSecret?: string;
  liveWebhookSecret?: string;
}

export interface RememberedSuppliers {
  /** Base URL of the receiver that the endpoints were created with; absent before the first of them. */
  receiver?: string;
  suppliers: Record<string, RememberedSupplier>;
}

const FIELDS = ['credential', 'liveCredential', 'webhookSecret', 'liveWebhookSecret'] as const;

/** Reads what earlier starts seeded. A supplier whose entry makes no sense counts as not seeded. */
export function readSuppliers(path: string): RememberedSuppliers {
  const stored = asRecord(readJsonIfPresent(path));
  const receiver = stored?.receiver;
  const entries = Object.entries(asRecord(stored?.suppliers) ?? {}).flatMap(([name, value]) => {
    const supplier = asSupplier(asRecord(value));
    return supplier ? [[name, supplier] as const] : [];
  });
  return { ...(typeof receiver === 'string' ? { receiver } : {}), suppliers: Object.fromEntries(entries) };
}

export function writeSuppliers(path: string, suppliers: RememberedSuppliers): void {
  writePrivateJson(path, suppliers);
}

function asSupplier(value: Record<string, unknown> | undefined): RememberedSupplier | undefined {
  const accountId = value?.accountId;
  if (typeof accountId !== 'string') return undefined;
  const supplier: RememberedSupplier = { accountId };
  for (const field of FIELDS) {
    const text = value?.[field];
    if (typeof text === 'string') supplier[field] = text;
  }
  return supplier;
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}
