/* The whole public interface: include this one header. */
#ifndef DP2DP_DP2DP_H
#define DP2DP_DP2DP_H

#include <dp2dp/accountant.h>
#include <dp2dp/arrow.h>
#include <dp2dp/criterion.h>
#include <dp2dp/data.h>
#include <dp2dp/explain.h>
#include <dp2dp/export.h>
#include <dp2dp/fit.h>
#include <dp2dp/ledger.h>
#include <dp2dp/metrics.h>
#include <dp2dp/model.h>
#include <dp2dp/options.h>
#include <dp2dp/pool.h>
#include <dp2dp/report.h>
#include <dp2dp/schema.h>
#include <dp2dp/status.h>
#include <dp2dp/table.h>
#include <dp2dp/train.h>
#include <dp2dp/version.h>
#include <dp2dp/words.h>

#endif
