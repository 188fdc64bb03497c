// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Assertions} from "./support/Vm.sol";
import {AttackHandler} from "./support/AttackHandler.sol";
import {Handler} from "./support/Handler.sol";
import {Token} from "./support/Tokens.sol";

/// @notice Properties that hold after any sequence of deposits, donations and attacks.
contract InvariantsTest is Assertions {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    uint256 private constant START = 1_000_000e18;

    Handler private handler;
    AttackHandler private attacker;
    address private router;
    address private implementation;
    address private victim = address(uint160(uint256(keccak256("victim"))));

    function setUp() external {
        handler = new Handler();
        handler.setUp();
        (router, implementation) = handler.ours();
        attacker = new AttackHandler();
        attacker.setUp();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](2);
        (targets[0], targets[1]) = (address(handler), address(attacker));
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](2);
        targets[0] = FuzzSelector(address(handler), _actions());
        targets[1] = FuzzSelector(address(attacker), _attacks());
    }

    function _attacks() private pure returns (bytes4[] memory actions) {
        actions = new bytes4[](5);
        actions[0] = actions[1] = AttackHandler.attack.selector;
        actions[2] = AttackHandler.signedDeposit.selector;
        actions[3] = AttackHandler.withdraw.selector;
        actions[4] = AttackHandler.nativeOut.selector;
    }

    function _actions() private pure returns (bytes4[] memory actions) {
        actions = new bytes4[](6);
        // Twice the plain deposits; the others are variations.
        actions[0] = actions[1] = Handler.deposit.selector;
        actions[2] = Handler.depositWithDonation.selector;
        actions[3] = Handler.depositNative.selector;
        actions[4] = Handler.attack.selector;
        actions[5] = Handler.driveExecutor.selector;
    }

    /// @dev Only the clones of the last deposits: each is checked when it is new.
    function _ours() private view returns (address[] memory list) {
        uint256 count = handler.clonesCount();
        uint256 recent = count < 4 ? count : 4;
        list = new address[](recent + 2);
        (list[0], list[1]) = (router, implementation);
        for (uint256 i = 0; i < recent; ++i) {
            list[i + 2] = handler.clones(count - 1 - i);
        }
    }

    /// @dev One campaign for all ten, so that every call of the handler is checked by each of them.
    function invariant_I1_to_I10() external view {
        _nothingIsHeld();
        _noAllowanceRemains();
        _whoNeverCallsNeverLoses();
        eq(handler.sharesShort(), 0, "I4 success means at least minShares, and as many as returned");
        eq(handler.paidTooMuch(), 0, "I5 the sender loses at most the amount, and nothing on a revert");
        eq(handler.executorDriven(), 0, "I6 an Executor obeys only the Router");
        eq(handler.notConserved(), 0, "I7 what is paid is in the vault or refunded");
        eq(handler.nested(), 0, "I8 no order runs inside another, nor does an intruder get anything done");
        _attacksComeToNothing();
    }

    function _attacksComeToNothing() private view {
        for (uint256 kind = 0; kind < attacker.KINDS(); ++kind) {
            eq(attacker.breaches(kind), 0, "I9 an attack ended as it must not");
        }
        eq(attacker.wrong(), 0, "I10 an honest order paid, gave or was refused otherwise than computed");
        (address token, address usdc) = attacker.targets();
        eq(Token(token).balanceOf(victim), 1_000_000e18, "I3 the victim's token");
        eq(Token(usdc).balanceOf(victim), 1e12, "I3 the victim's USDC");
    }

    function _nothingIsHeld() private view {
        eq(handler.heldByUs(), 0, "I1 a clone held something after its deposit");
        address[] memory list = _ours();
        for (uint256 i = 0; i < list.length; ++i) {
            eq(list[i].balance, 0, "I1 native");
            for (uint256 t = 0; t < handler.TOKENS(); ++t) {
                // A token like stETH may leave one wei behind by rounding.
                ok(handler.tokens(t).balanceOf(list[i]) <= (t == 3 && i > 1 ? 1 : 0), "I1 token");
            }
        }
    }

    function _noAllowanceRemains() private view {
        eq(handler.allowanceLeft(), 0, "I2 a clone left an allowance");
    }

    function _whoNeverCallsNeverLoses() private view {
        for (uint256 t = 0; t < handler.TOKENS(); ++t) {
            ok(handler.tokens(t).balanceOf(victim) >= START, "I3 the victim lost something");
            eq(handler.tokens(t).allowance(victim, router), type(uint256).max, "I3 an approval was used");
        }
    }

    /// @dev Checked once, at the end: Router and Executor cannot lose shares or allowances, so a missing one never
    /// existed. An empty run would prove nothing, so most deposits must have succeeded.
    function afterInvariant() external view {
        for (uint256 t = 0; t < handler.TOKENS(); ++t) {
            for (uint256 v = 0; v < handler.VAULTS(); ++v) {
                Token shares = Token(handler.vaultOf(t, v));
                eq(shares.balanceOf(router) + shares.balanceOf(implementation), 0, "I1 shares");
                eq(handler.tokens(t).allowance(router, address(shares)), 0, "I2 the Router's allowance");
                eq(handler.tokens(t).allowance(implementation, address(shares)), 0, "I2 the Executor's allowance");
            }
        }
        uint256 attempts = handler.attempts();
        ok(attempts < 30 || handler.successes() * 100 > attempts * 40, "more than 40 % of the deposits succeed");
    }

    /// @dev A run that only attacks: each kind lands a hundred times, so that "no loss" is not for want of trying.
    function test_everyKindOfAttackLandsAHundredTimes() external {
        for (uint256 i = 0; i < 100; ++i) {
            for (uint256 kind = 0; kind < attacker.KINDS(); ++kind) {
                attacker.attack(kind, uint256(keccak256(abi.encode(i, kind))));
            }
            attacker.signedDeposit(uint256(keccak256(abi.encode(i))), i % 2 == 0);
            attacker.withdraw(uint256(keccak256(abi.encode(i, "w"))), uint256(keccak256(abi.encode(i, "f"))));
            attacker.nativeOut(uint256(keccak256(abi.encode(i, "n"))), i);
        }
        for (uint256 kind = 0; kind < attacker.KINDS(); ++kind) {
            eq(attacker.landed(kind), 100, "landed");
        }
        eq(attacker.orders(), 300, "honest orders ran as computed");
        _attacksComeToNothing();
    }

    /// @dev The same actions from a plain counter: every token meets every vault, most deposits succeed, some of each
    /// kind fail, attacks run and intruders get control.
    function test_theHandlerIsNotVacuous() external {
        for (uint256 i = 0; i < 2_000; ++i) {
            uint256 word = uint256(keccak256(abi.encode(i)));
            (uint256 a, uint256 b, uint256 c) = (word >> 8, word >> 64, word >> 128);
            if (word % 6 < 2) handler.deposit(a, b, c, word >> 192);
            if (word % 6 == 2) handler.depositWithDonation(a, b, c, word >> 192);
            if (word % 6 == 3) handler.depositNative(a, b, c, word >> 192);
            if (word % 6 == 4) handler.attack(a, b, c);
            if (word % 6 == 5) handler.driveExecutor(a, b, c);
        }
        ok(handler.attempts() > 1_000, "deposits were tried");
        ok(handler.successes() * 100 > handler.attempts() * 60, "most succeed");
        ok(handler.successes() < handler.attempts(), "not all");
        ok(handler.attacks() > 200, "attacks were tried");
        ok(handler.intrusions() > 100, "intruders had control");
        for (uint256 t = 0; t < handler.TOKENS(); ++t) {
            for (uint256 v = 0; v < handler.VAULTS(); ++v) {
                bool possible = v != 4 && !(t == 5 && v == 3);
                ok(possible == (handler.wins(t, v) != 0), "each pair that can work has worked, and no other");
                ok(possible || handler.losses(t, v) != 0, "and those that cannot were tried");
            }
        }
    }
}
