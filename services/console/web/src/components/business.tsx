import { Text } from '@mantine/core';
import {
  type BusinessSector,
  BusinessSectorSchema,
  type TradingDuration,
  TradingDurationSchema,
} from '@supplier/proto/common/v1/enquiry';
import { enumLabel } from '../format.ts';

interface BusinessProps {
  readonly of: { readonly businessSector: BusinessSector; readonly tradingDuration: TradingDuration };
}

/** The sector of a business, and how long it has traded. */
export const Business = ({ of: { businessSector, tradingDuration } }: BusinessProps) => (
  <>
    {businessSector ? enumLabel(BusinessSectorSchema, businessSector) : '—'}
    {tradingDuration ? (
      <Text size="xs" c="dimmed">
        {enumLabel(TradingDurationSchema, tradingDuration)}
      </Text>
    ) : null}
  </>
);
