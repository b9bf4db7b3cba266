#include "common/data_sets.h"

#include <string.h>

#define UCI "https://archive.ics.uci.edu/ml/machine-learning-databases/"

const cli_data_set cli_data_sets[] = {
    {
        .name = "adult",
        .title = "Adult (Census Income); the label is income above 50,000 dollars, the group is "
                 "sex",
        .schemas = {"adult", "adult-cut"},
        .page = "https://archive.ics.uci.edu/dataset/2/adult",
        .header = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,"
                  "relationship,race,sex,capital-gain,capital-loss,hours-per-week,native-country,"
                  "income",
        .files = {{"adult/adult.data", UCI "adult/adult.data", 1, 0,
                   "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"},
                  {"adult/adult.test", UCI "adult/adult.test", 1, 1,
                   "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"},
                  {"adult/adult.names", UCI "adult/adult.names", 0, 0,
                   "c248284c0b5de30c9e1958d6cdd168a34a654758b620e68f46aefa83fc0a576a"}},
        .file_count = 3,
    },
    {
        .name = "credit",
        .title = "Default of Credit Card Clients; the label says who defaults next month, the "
                 "group is sex",
        .schemas = {"credit"},
        .page = "https://archive.ics.uci.edu/dataset/350/default+of+credit+card+clients",
        .header = "ID,LIMIT_BAL,SEX,EDUCATION,MARRIAGE,AGE,PAY_0,PAY_2,PAY_3,PAY_4,PAY_5,PAY_6,"
                  "BILL_AMT1,BILL_AMT2,BILL_AMT3,BILL_AMT4,BILL_AMT5,BILL_AMT6,PAY_AMT1,PAY_AMT2,"
                  "PAY_AMT3,PAY_AMT4,PAY_AMT5,PAY_AMT6,default payment next month",
        .how_to_get = "the archive has only a spreadsheet; save it as CSV without its first line",
        .files = {{"credit/default_of_credit_card_clients.csv", NULL, 1, 1,
                   "4edce6da569b2c30788a85fd98a9bafb1a983e8ca1a7aac875dd7ff853cbd0bb"}},
        .file_count = 1,
    },
    {
        .name = "parkinsons",
        .title = "Parkinsons Telemonitoring; the label is total UPDRS above 27.576, the group is "
                 "sex",
        .schemas = {"parkinsons"},
        .page = "https://archive.ics.uci.edu/dataset/189/parkinsons+telemonitoring",
        .header = "subject#,age,sex,test_time,motor_UPDRS,total_UPDRS,Jitter(%),Jitter(Abs),"
                  "Jitter:RAP,Jitter:PPQ5,Jitter:DDP,Shimmer,Shimmer(dB),Shimmer:APQ3,"
                  "Shimmer:APQ5,Shimmer:APQ11,Shimmer:DDA,NHR,HNR,RPDE,DFA,PPE",
        .files = {{"parkinsons/parkinsons_updrs.data",
                   UCI "parkinsons/telemonitoring/parkinsons_updrs.data", 1, 1,
                   "f2c7d5025dec4e92e7feae367a5f7ccf58789a10ac6b54bdf15976c599f9dd39"},
                  {"parkinsons/parkinsons_updrs.names",
                   UCI "parkinsons/telemonitoring/parkinsons_updrs.names", 0, 0,
                   "744dc2835eab5c0fc744c638e5e6b05e656788f60f8aa2aba9d48e21c629f7c2"}},
        .file_count = 2,
    },
};

const size_t cli_data_set_count = sizeof cli_data_sets / sizeof cli_data_sets[0];

const cli_data_set *cli_data_set_find(const char *name) {
    for (size_t i = 0; i < cli_data_set_count; i++) {
        if (strcmp(cli_data_sets[i].name, name) == 0) {
            return &cli_data_sets[i];
        }
    }
    return NULL;
}

const cli_data_set *cli_data_set_of_schema(const char *schema) {
    for (size_t i = 0; i < cli_data_set_count; i++) {
        for (size_t j = 0; j < 2; j++) {
            const char *name = cli_data_sets[i].schemas[j];
            if (name && strcmp(name, schema) == 0) {
                return &cli_data_sets[i];
            }
        }
    }
    return NULL;
}
